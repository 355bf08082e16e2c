def f():
    pass
def g():
    pass
l = [f, g]
def run(i):
    l[i]()
run(0)
