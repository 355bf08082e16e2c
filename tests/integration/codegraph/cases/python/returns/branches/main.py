def f():
    pass
def g():
    pass
def pick(x):
    if x:
        return f
    return g
pick(1)()
