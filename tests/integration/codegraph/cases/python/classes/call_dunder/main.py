class A:
    def __call__(self, x):
        self.go(x)
    def go(self, x):
        pass
a = A()
a(1)
