class A:
    run = lambda self: self.go()
    def go(self):
        pass
A().run()
