import functools
def deco(fn):
    @functools.wraps(fn)
    def inner(*args):
        return fn(*args)
    return inner
@deco
def f(x):
    pass
f(1)
