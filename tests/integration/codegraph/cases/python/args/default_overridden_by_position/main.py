def f():
    pass
def g():
    pass
def run(x=f):
    x()
run(g)
