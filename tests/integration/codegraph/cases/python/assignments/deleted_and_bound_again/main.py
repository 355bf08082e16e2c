def f():
    pass
def g():
    pass
a = f
del a
a = g
a()
