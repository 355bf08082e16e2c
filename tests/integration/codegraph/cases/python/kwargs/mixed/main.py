def f():
    pass
def g():
    pass
def run(a, b=None, **rest):
    b()
    rest["c"]()
run(f, b=g, c=f)
