def left():
    pass


def right():
    pass


def both(first, *, second):
    first()
    second()


both(second=right, first=left)
