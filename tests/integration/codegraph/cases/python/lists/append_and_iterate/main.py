def f():
    pass
l = []
l.append(f)
for x in l:
    x()
