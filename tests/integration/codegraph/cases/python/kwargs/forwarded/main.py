def f():
    pass
def inner(cb):
    cb()
def outer(**kw):
    inner(cb=kw["cb"])
outer(cb=f)
