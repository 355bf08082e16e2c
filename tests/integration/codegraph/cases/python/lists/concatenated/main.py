def f():
    pass
def g():
    pass
for x in [f] + [g]:
    x()
