from functools import partial
def f(cb, x):
    cb()
def g():
    pass
partial(f, g)(1)
