def make():
    def made():
        pass

    return made


make()()
