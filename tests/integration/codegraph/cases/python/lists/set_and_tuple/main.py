def f():
    pass
def g():
    pass
for x in {f}:
    x()
(g,)[0]()
