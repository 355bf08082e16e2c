def f():
    pass
def g():
    pass
f.helper = g
f.helper()
