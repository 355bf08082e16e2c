def register(cls):
    return cls
@register
class A:
    def __init__(self):
        pass
A()
