def dec(f):
    def one():
        def two():
            f()
        two()
    return one
@dec
def func():
    pass
func()
