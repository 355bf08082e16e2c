def f(x):
    pass
sorted([1], key=lambda x: f(x))
