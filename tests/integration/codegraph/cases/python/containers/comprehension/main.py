def make(n):
    return n


[make(n) for n in range(3)]
