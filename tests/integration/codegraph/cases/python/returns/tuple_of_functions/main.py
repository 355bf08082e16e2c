def f():
    pass
def g():
    pass
def both():
    return f, g
a, b = both()
b()
