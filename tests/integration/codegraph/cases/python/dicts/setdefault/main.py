def f():
    pass
d = {}
d.setdefault("a", f)()
