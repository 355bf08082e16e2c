from functools import wraps


def logged(fn):
    @wraps(fn)
    def wrapper(*args):
        return fn(*args)

    return wrapper


@logged
def work():
    pass


work()
