import sys


def start():
    pass


def stop():
    pass


table = {"start": start, "stop": stop}
table[sys.argv[1]]()
