class A:
    def __enter__(self):
        return self
    def __exit__(self, *args):
        pass
    def go(self):
        pass
with A() as a:
    a.go()
