def make():
    return end
def end():
    pass
def run(f):
    f()
run(make())
