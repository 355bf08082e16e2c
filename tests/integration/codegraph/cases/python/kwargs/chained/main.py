def one(a, b):
    a()
    b(a)
def two(c):
    c()
def f():
    pass
one(b=two, a=f)
