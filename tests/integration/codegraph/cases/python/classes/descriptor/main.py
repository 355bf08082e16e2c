def first():
    pass


class Lazy:
    def __init__(self, make):
        self.make = make

    def __get__(self, instance, owner):
        return self.make


class A:
    value = Lazy(first)


A().value()
