def size(items):
    return len(items)


print(size([1, 2]))
