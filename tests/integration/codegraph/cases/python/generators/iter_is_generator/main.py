def f():
    pass
class It:
    def __iter__(self):
        yield f
for fn in It():
    fn()
