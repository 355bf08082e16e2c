def f():
    pass
def g():
    pass
for a, b in zip([f], [g]):
    b()
