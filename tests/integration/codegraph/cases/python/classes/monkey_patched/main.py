def replacement(self):
    pass
class A:
    pass
A.go = replacement
A().go()
