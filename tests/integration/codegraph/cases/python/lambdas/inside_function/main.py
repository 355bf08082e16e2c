def apply(fn):
    return fn(1)


def start():
    return apply(lambda n: n)


start()
