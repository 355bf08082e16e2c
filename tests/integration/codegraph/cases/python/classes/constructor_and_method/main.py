class Box:
    def __init__(self, item):
        self.item = item

    def get(self):
        return self.item


box = Box(1)
box.get()
