class Item:
    def load(self):
        pass
