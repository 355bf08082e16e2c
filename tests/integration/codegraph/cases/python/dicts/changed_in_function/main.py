def f():
    pass
def g():
    pass
def change(d):
    d["a"] = g
d = {"a": f}
change(d)
d["a"]()
