from .cart import add
