def keep(x):
    return x
for x in filter(keep, [1]):
    print(x)
