class A:
    def __init__(self, cb):
        cb()
class B(A):
    pass
def f():
    pass
B(f)
