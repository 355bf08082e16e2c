from shop.cart import add

add()
