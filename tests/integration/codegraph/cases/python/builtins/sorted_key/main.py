def key(x):
    return x
sorted([3, 1], key=key)
