def f():
    pass
def g():
    pass
h = f if input() else g
h()
