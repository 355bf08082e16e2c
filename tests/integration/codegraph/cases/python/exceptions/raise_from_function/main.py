class E(Exception):
    def __init__(self):
        pass
    def report(self):
        pass
def fail():
    raise E()
try:
    fail()
except E as e:
    e.report()
