def f():
    pass
def g():
    pass
[x() for x in (f, g)]
