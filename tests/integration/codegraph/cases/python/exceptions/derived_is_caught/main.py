class Problem(Exception):
    def show(self):
        pass


class Missing(Problem):
    def show(self):
        pass


class Unused(Problem):
    def show(self):
        pass


def find():
    raise Missing()


try:
    find()
except Problem as problem:
    problem.show()
