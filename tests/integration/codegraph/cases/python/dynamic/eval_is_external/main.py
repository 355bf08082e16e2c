def f():
    pass
eval("f()")
