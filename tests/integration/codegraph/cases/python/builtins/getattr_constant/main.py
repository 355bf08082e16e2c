class A:
    def f(self):
        pass
getattr(A(), "f")()
