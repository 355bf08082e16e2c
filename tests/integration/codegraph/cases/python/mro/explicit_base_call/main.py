class A:
    def go(self):
        self.end()
    def end(self):
        pass
class B(A):
    def go(self):
        A.go(self)
B().go()
