def f():
    pass
def g():
    pass
def h():
    pass
(a, (b, c)), d = (f, (g, h)), f
c()
