class A:
    def __new__(cls):
        return object.__new__(cls)
    def __init__(self):
        pass
A()
