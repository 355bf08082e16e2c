class A:
    def go(self):
        pass
class B:
    def go(self):
        pass
(a, b) = (A(), B())
b.go()
