def f():
    pass
def g():
    pass
def h():
    pass
for x in [f, g, h][1:2]:
    x()
