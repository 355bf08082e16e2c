def f():
    pass
fns = (x for x in [f])
for fn in fns:
    fn()
