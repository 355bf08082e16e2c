def func():
    inner()
def inner():
    pass
