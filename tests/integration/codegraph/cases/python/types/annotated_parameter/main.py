class Store:
    def save(self):
        pass


def flush(store: Store):
    store.save()
