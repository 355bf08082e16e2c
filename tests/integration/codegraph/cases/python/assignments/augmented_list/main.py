def f():
    pass
l = []
l += [f]
l[0]()
