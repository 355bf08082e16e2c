def greet():
    pass


def run(action):
    action()


run(greet)
