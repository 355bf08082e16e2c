class A:
    def __init__(self):
        pass
    @classmethod
    def make(cls):
        return cls()
    def go(self):
        pass
class B(A):
    pass
B.make().go()
