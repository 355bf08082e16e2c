class A:
    def __init__(self):
        self.handlers = {}
    def on(self, name, fn):
        self.handlers[name] = fn
    def fire(self, name):
        self.handlers[name]()
def hello():
    pass
a = A()
a.on("x", hello)
a.fire("x")
