def first():
    pass
def second():
    pass
def run(*, callback=first):
    callback()
run()
run(callback=second)
