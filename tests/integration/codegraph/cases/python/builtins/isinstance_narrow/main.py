class A:
    def f(self):
        pass
class B:
    def f(self):
        pass
def run(x):
    if isinstance(x, A):
        x.f()
run(A())
