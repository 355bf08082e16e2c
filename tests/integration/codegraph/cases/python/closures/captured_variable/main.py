def tick():
    pass


def wrap(fn):
    def run():
        fn()

    return run


wrap(tick)()
