def ok(x):
    return True
def f():
    pass
l = [x for x in [f] if ok(x)]
l[0]()
