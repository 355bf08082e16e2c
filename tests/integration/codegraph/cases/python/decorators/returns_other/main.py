def other():
    pass
def dec(f):
    return other
@dec
def func():
    pass
func()
