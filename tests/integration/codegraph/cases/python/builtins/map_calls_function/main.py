def double(n):
    return n * 2


list(map(double, [1, 2]))
