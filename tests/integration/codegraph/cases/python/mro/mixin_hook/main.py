class Mixin:
    def run(self):
        self.hook()
class Base:
    def hook(self):
        pass
class C(Mixin, Base):
    pass
C().run()
