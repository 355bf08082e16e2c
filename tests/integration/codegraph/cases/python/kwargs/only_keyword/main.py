def f():
    pass
def run(*, cb):
    cb()
run(cb=f)
