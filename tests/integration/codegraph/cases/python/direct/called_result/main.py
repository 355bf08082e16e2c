def outer():
    def inner():
        return end
    return inner
def end():
    pass
outer()()()
