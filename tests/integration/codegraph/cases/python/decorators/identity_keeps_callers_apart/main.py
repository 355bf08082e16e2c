def mark(fn):
    fn.marked = True
    return fn


@mark
def first():
    pass


@mark
def second():
    pass


def run():
    first()


run()
