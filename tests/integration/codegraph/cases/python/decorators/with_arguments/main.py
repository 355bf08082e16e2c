def repeat(times):
    def decorate(fn):
        def wrapper():
            fn()

        return wrapper

    return decorate


@repeat(2)
def work():
    pass


work()
