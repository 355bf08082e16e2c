def f():
    pass
def g():
    pass
def pick(x):
    return f if x else g
pick(1)()
