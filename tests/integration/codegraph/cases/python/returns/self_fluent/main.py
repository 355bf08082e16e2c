class A:
    def a(self):
        return self
    def b(self):
        return self
A().a().b().a()
