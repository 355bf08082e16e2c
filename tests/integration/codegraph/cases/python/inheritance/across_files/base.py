class Base:
    def setup(self):
        pass
