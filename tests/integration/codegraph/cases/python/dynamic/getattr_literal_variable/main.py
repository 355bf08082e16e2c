class A:
    def f(self):
        pass
    def g(self):
        pass
name = "f"
getattr(A(), name)()
