def f():
    pass
def find(n):
    if n:
        return find(n - 1)
    return f
find(3)()
