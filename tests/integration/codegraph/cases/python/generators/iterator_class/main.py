def f():
    pass
class It:
    def __iter__(self):
        return self
    def __next__(self):
        return f
for fn in It():
    fn()
