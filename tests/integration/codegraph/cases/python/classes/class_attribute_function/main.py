def helper():
    pass
class A:
    run = staticmethod(helper)
A.run()
A().run()
