def f():
    pass
def key():
    return "a"
d = {"a": f, "b": key}
d[key()]()
