def f(x):
    pass
list(map(f, [1, 2]))
