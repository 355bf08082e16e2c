def make():
    calls = []
    def add(fn):
        calls.append(fn)
    def run():
        for fn in calls:
            fn()
    return add, run
def f():
    pass
add, run = make()
add(f)
run()
