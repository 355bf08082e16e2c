from ..models import Item


def show():
    Item().load()
