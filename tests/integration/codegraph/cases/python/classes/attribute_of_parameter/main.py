class Inner:
    def hit(self):
        pass
class Outer:
    def __init__(self, inner):
        self.inner = inner
    def go(self):
        self.inner.hit()
Outer(Inner()).go()
