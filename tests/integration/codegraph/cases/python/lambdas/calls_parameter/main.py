def f():
    pass
call = lambda x: x()
call(f)
