def f():
    pass
handler = None
def install():
    global handler
    handler = f
def fire():
    handler()
install()
fire()
