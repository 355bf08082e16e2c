def f():
    pass
for x in sorted([f], key=lambda y: 1):
    x()
