def ring():
    pass


class Bell:
    def __init__(self, sound):
        self.sound = sound

    def press(self):
        self.sound()


Bell(ring).press()
