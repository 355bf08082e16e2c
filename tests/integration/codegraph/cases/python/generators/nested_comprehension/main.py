def f():
    pass
fns = [[f]]
[g() for row in fns for g in row]
