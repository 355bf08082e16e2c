class A:
    def go(self):
        pass
class B(A):
    def go(self):
        super(B, self).go()
B().go()
