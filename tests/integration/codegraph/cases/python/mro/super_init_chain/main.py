class A:
    def __init__(self):
        self.set()
    def set(self):
        pass
class B(A):
    def __init__(self):
        super().__init__()
B()
