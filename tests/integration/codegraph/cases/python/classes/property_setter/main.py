def note():
    pass
class A:
    def __init__(self):
        self.value = 1
    @property
    def value(self):
        return self._value
    @value.setter
    def value(self, new):
        self._value = new
        note()
a = A()
a.value = 2
a.value
