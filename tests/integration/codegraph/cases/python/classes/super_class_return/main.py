class A:
    def get(self):
        return self.go
    def go(self):
        pass
class B(A):
    def run(self):
        return super().get()
B().run()()
