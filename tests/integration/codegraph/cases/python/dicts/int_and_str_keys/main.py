def f():
    pass
def g():
    pass
d = {1: f, "1": g}
d["1"]()
