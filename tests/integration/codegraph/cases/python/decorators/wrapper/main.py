def traced(fn):
    def wrapper():
        return fn()

    return wrapper


@traced
def work():
    pass


work()
