def f():
    pass
def g():
    pass
d = {"a": f, "b": g}
def run(key):
    d[key]()
run("a")
