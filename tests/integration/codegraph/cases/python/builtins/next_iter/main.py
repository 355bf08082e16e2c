def f():
    pass
it = iter([f])
next(it)()
