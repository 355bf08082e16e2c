from dataclasses import dataclass


class Engine:
    def start(self):
        pass


@dataclass
class Car:
    engine: Engine

    def drive(self):
        self.engine.start()
