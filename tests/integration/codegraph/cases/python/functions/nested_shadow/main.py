def f():
    def f():
        pass
    f()
f()
