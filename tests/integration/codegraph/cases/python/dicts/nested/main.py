def f():
    pass
def g():
    pass
d = {"a": {"x": f}, "b": {"x": g}}
d["b"]["x"]()
