"""Values followed through a program: constraints, and the sets that satisfy them.

A *cell* stands for the values that one variable, attribute, parameter or result can
have; an *object* is a function, class, instance, module or container. Each file
gives constraints over its own cells; the solver joins the files and propagates
objects until nothing changes or a bound is reached.
"""
