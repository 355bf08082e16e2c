def f():
    pass
def g():
    pass
d = {"a": f}
d.get("b", g)()
