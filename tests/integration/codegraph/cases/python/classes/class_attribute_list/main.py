def f():
    pass
class A:
    steps = [f]
    def go(self):
        for step in self.steps:
            step()
A().go()
