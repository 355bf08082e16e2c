class A:
    class B:
        def __init__(self):
            pass
        def go(self):
            pass
    def make(self):
        return self.B()
A().make().go()
