def f():
    pass
d = {n: f for n in range(3)}
d[0]()
