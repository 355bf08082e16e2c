class Base:
    def run(self):
        self.step()


class Left(Base):
    def step(self):
        pass


class Right(Base):
    def step(self):
        pass


Left().run()
Right().run()
