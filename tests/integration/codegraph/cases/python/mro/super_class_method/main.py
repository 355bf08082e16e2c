class A:
    @classmethod
    def make(cls):
        return cls()
    def go(self):
        pass
class B(A):
    @classmethod
    def make(cls):
        return super().make()
B.make().go()
