def f():
    pass
l = []
l.extend([f])
l[0]()
