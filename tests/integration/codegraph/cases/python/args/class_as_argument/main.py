class A:
    def __init__(self):
        self.go()
    def go(self):
        pass
def make(cls):
    return cls()
make(A).go()
