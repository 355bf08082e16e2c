def f():
    pass
def inner():
    yield f
def outer():
    yield from inner()
for fn in outer():
    fn()
