class A:
    def go(self):
        pass


class B:
    def go(self):
        pass


def one(x):
    if isinstance(x, A):
        x.go()
    return x


def other(x):
    if not x:
        pass
    elif isinstance(x, (int, B)) and x:
        x.go()


def unknown(x):
    if isinstance(x, A):
        x.go()


for value in (A(), B()):
    one(value).go()
    other(value)
