def target():
    pass


def give():
    return target


give()()
