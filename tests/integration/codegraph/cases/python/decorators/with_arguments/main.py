def repeat(n):
    def outer(fn):
        def inner():
            fn()
        return inner
    return outer
@repeat(3)
def f():
    pass
f()
