def leaf():
    pass


def inner():
    yield leaf


def outer():
    yield from inner()


for item in outer():
    item()
