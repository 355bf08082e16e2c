def f():
    pass
d = {"a": lambda: f()}
d["a"]()
