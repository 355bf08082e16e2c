def f():
    pass
l = [f]
l.pop()()
