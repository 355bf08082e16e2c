class E(Exception):
    def __init__(self):
        pass
e = E
raise e()
