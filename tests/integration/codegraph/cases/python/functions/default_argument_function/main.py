def f():
    pass
def g(x=f):
    x()
g()
