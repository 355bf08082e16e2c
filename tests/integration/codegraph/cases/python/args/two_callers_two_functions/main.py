def f():
    pass
def g():
    pass
def run(x):
    x()
run(f)
run(g)
