def add():
    total()


def total():
    pass
