def f():
    pass
f()
def f():
    g()
def g():
    pass
f()
