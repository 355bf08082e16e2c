def f():
    pass
f()
