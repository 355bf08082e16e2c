class A:
    def go(self):
        pass
instance = A()
