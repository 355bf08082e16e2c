def make():
    class Inner:
        def go(self):
            pass
    return Inner
make()().go()
