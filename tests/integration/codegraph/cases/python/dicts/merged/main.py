def f():
    pass
def g():
    pass
a = {"x": f}
b = {**a, "y": g}
b["x"]()
