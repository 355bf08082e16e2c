"""Values followed through a program: constraints, and the sets that satisfy them.

This is a points-to analysis. A *cell* is one of its variables: a variable, attribute,
parameter or result of the program. Its *points-to set* holds the *objects* it may refer
to: functions, classes, instances, modules, containers. Each file gives origins and
constraints over its own cells; the solver joins the files and propagates objects until
nothing changes or a bound is reached. Heuristics then fill in what is still unknown.
"""
