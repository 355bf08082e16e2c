def f():
    pass
g = lambda x=f: x()
g()
