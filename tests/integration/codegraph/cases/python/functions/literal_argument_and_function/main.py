def f():
    pass
def run(n, cb):
    cb()
run(1, f)
