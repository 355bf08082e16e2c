def target():
    pass


def inner(fn):
    fn()


def outer(*args, **kwargs):
    inner(*args, **kwargs)


outer(target)
