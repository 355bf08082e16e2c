from lib import dec
@dec
def func():
    pass
func()
