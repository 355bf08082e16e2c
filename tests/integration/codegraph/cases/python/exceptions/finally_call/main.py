def f():
    pass
def g():
    pass
try:
    x = f
except ValueError:
    x = g
finally:
    x()
