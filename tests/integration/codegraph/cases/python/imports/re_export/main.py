from shop import add

add()
