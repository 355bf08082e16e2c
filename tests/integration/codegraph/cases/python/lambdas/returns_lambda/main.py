def f():
    pass
def make():
    return lambda: lambda: f
make()()()()
