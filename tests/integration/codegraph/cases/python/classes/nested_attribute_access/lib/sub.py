class A:
    def __init__(self):
        pass
    def go(self):
        pass
