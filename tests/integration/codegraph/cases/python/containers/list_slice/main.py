def a():
    pass


def b():
    pass


def c():
    pass


jobs = [a, b, c][1:]
jobs[0]()
