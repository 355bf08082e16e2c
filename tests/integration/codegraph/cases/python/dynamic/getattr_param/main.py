class A:
    def f(self):
        pass
    def g(self):
        pass
def run(obj, name):
    getattr(obj, name)()
run(A(), "f")
