def target(f, g):
    g()
def f():
    pass
def g():
    pass
def wrapper(*args):
    target(*args)
wrapper(f, g)
