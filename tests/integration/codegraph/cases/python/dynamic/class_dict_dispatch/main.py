class A:
    def go(self):
        pass
class B:
    def go(self):
        pass
KINDS = {"a": A, "b": B}
def make(kind):
    return KINDS[kind]()
make("b").go()
