def f():
    pass
class A:
    def __init__(self):
        self.f = f
    def go(self):
        self.f()
A().go()
