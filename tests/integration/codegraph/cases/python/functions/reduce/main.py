from functools import reduce
def add(a, b):
    return a
reduce(add, [1, 2])
