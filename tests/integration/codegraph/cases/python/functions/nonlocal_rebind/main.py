def f():
    pass
def g():
    pass
def outer():
    h = f
    def swap():
        nonlocal h
        h = g
    swap()
    h()
outer()
