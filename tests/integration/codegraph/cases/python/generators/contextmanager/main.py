from contextlib import contextmanager
class R:
    def use(self):
        pass
@contextmanager
def open_it():
    r = R()
    yield r
with open_it() as r:
    r.use()
