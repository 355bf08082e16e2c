import sys


def fast():
    pass


def slow():
    pass


if sys.argv:
    chosen = fast
else:
    chosen = slow
chosen()
