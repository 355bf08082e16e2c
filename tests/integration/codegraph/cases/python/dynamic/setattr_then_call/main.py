def f():
    pass
class A:
    pass
a = A()
setattr(a, "go", f)
a.go()
