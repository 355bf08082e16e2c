from lib import func
def run(f):
    f()
a = func
run(a)
