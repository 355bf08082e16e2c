from dataclasses import dataclass
@dataclass
class A:
    value: int
    def go(self):
        pass
A(1).go()
