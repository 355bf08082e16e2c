class A:
    count = 0
    @classmethod
    def up(cls):
        cls.log()
    @staticmethod
    def log():
        pass
A.up()
A().up()
