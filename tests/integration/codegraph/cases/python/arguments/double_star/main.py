def on_start():
    pass


def on_stop():
    pass


def configure(start, stop):
    start()
    stop()


options = {"start": on_start, "stop": on_stop}
configure(**options)
