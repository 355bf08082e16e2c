class A:
    def go(self):
        pass
class B(A):
    def go(self):
        super().go()
class C(A):
    def go(self):
        super().go()
class D(B, C):
    def go(self):
        super().go()
D().go()
