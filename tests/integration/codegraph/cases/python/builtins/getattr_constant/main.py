class Door:
    def open(self):
        pass


door = Door()
getattr(door, "open")()
