class Outer:
    class Inner:
        def __init__(self):
            self.ping()

        def ping(self):
            pass


Outer.Inner()
