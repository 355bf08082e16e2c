def f():
    pass
def g():
    pass
def h():
    pass
first, *rest = [f, g, h]
rest[1]()
