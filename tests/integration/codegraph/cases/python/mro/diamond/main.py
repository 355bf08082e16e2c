class A:
    def go(self):
        pass
class B(A):
    pass
class C(A):
    def go(self):
        pass
class D(B, C):
    pass
D().go()
