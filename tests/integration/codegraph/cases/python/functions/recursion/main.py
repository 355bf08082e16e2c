def f(n):
    if n:
        g(n - 1)
def g(n):
    f(n)
f(3)
