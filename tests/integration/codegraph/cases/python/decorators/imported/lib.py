def dec(f):
    def inner():
        f()
    return inner
