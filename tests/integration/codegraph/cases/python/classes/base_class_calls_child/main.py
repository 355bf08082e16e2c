class A:
    def run(self):
        self.step()
class B(A):
    def step(self):
        pass
B().run()
