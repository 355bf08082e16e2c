class A:
    def get(self):
        return self.go
    def go(self):
        pass
A().get()()
