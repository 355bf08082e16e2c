def f():
    pass
def gen():
    yield f
next(gen())()
