def f():
    pass
def g():
    pass
for name, fn in {"a": f, "b": g}.items():
    fn()
