class Broken(Exception):
    def __init__(self):
        pass


try:
    raise Broken
except Broken as error:
    error.with_traceback(None)
