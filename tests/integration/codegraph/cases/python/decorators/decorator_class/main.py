class deco:
    def __init__(self, fn):
        self.fn = fn
    def __call__(self):
        return self.fn()
@deco
def f():
    pass
f()
