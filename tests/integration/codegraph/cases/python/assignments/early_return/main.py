def one():
    pass


def two():
    pass


def pick(flag):
    handler = one
    if flag:
        handler = two
        return handler()
    return handler()


pick(True)
