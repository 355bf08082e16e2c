class A:
    def go(self):
        pass
def run(x):
    match x:
        case A() as a:
            a.go()
        case other:
            other.go()
run(A())
