from .impl import f
