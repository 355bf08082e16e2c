def rank(item):
    return item


sorted([3, 1], key=rank)
