def f():
    pass
def g():
    pass
l = [f, g]
l[-1]()
