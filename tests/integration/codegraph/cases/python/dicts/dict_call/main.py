def f():
    pass
d = dict(a=f)
d["a"]()
