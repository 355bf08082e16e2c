class Library:
    def __init__(self):
        self.filters = {}

    def filter(self, name=None, func=None):
        if func is None:
            return self.filter_function(name)
        self.filters[name] = func
        return func

    def filter_function(self, func):
        return self.filter(func.__name__, func)


register = Library()


@register.filter
def upper(value):
    return value


@register.filter
def lower(value):
    return value


def run():
    upper("a")


def apply(name):
    register.filters[name]("a")


run()
apply(input())
