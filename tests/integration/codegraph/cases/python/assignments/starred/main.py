def a():
    pass


def b():
    pass


def c():
    pass


head, *tail = a, b, c
head()
tail[1]()
