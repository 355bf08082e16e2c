def f():
    pass
class A:
    def __init__(self):
        self.cb = f
class B(A):
    def go(self):
        self.cb()
B().go()
