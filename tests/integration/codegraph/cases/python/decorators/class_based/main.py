class Cached:
    def __init__(self, fn):
        self.fn = fn

    def __call__(self):
        return self.fn()


@Cached
def load():
    pass


load()
