from functools import partial


def power(base, exponent):
    pass


def call(fn):
    fn(2)


call(partial(power, 3))
