from base import Base


class Child(Base):
    def run(self):
        self.setup()


Child().run()
