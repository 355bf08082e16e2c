def rebuildable(*args, path=None):
    def decorator(cls):
        cls.path = path
        return cls

    if not args:
        return decorator
    return decorator(*args)


@rebuildable
class Check:
    def __init__(self):
        pass

    def __call__(self, value):
        pass


@rebuildable(path="case")
class Case:
    def __init__(self, value):
        pass


def run():
    Case(1)


run()
