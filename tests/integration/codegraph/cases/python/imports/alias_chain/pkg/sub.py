from .impl import run
