class Oops(Exception):
    def __init__(self):
        pass
