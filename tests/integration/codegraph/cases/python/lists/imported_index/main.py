from lib import index
def f():
    pass
def g():
    pass
[f, g][index]()
