def f():
    pass
def g():
    pass
a, b = lambda: f(), lambda: g()
a()
b()
