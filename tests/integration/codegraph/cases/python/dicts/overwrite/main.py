def f():
    pass
def g():
    pass
d = {"a": f}
d["a"] = g
d["a"]()
