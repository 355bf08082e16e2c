def a():
    pass


def b():
    pass


jobs = [a, b]
jobs[1]()
