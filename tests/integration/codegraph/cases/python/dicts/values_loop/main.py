def f():
    pass
d = {"a": f}
for v in d.values():
    v()
