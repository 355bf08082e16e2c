def deco(fn):
    def inner(self):
        return fn(self)
    return inner
class A:
    @deco
    def go(self):
        self.end()
    def end(self):
        pass
A().go()
