class A:
    def a(self):
        pass
class B:
    def b(self):
        pass
class C(A, B):
    pass
C().b()
