def f():
    pass
class A:
    @property
    def handler(self):
        return f
A().handler()
