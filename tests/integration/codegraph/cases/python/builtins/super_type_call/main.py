class A:
    def f(self):
        return type(self)()
A().f()
