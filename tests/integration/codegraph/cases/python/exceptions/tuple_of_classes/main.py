class A(Exception):
    def tell(self):
        pass
class B(Exception):
    def tell(self):
        pass
try:
    raise A()
except (A, B) as e:
    e.tell()
