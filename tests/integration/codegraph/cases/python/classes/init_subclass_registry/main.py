REGISTRY = []
class Base:
    def __init_subclass__(cls):
        REGISTRY.append(cls)
class A(Base):
    def go(self):
        pass
for c in REGISTRY:
    c().go()
