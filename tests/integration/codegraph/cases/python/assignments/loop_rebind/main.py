def f():
    pass
def g():
    pass
h = f
while input():
    h()
    h = g
