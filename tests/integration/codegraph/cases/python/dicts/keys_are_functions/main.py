def f():
    pass
d = {f: 1}
for k in d:
    k()
