from typing import Callable
def f():
    pass
g: Callable = f
g()
