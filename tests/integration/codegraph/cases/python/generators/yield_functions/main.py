def f():
    pass
def g():
    pass
def gen():
    yield f
    yield g
for fn in gen():
    fn()
