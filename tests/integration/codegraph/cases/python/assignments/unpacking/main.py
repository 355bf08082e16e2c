def a():
    pass


def b():
    pass


def c():
    pass


first, (second, third) = a, (b, c)
first()
third()
