def func2():
    pass
@(lambda f: func2)
def func():
    pass
func()
