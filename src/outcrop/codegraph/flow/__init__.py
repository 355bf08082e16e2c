"""A points-to analysis: values followed through a whole program.

A *variable* of the analysis stands for a name, attribute, parameter or result of the
program. Its *points-to set* holds the *objects* it may refer to: functions, classes,
instances, modules, and containers by allocation site. Each file gives origins and
*constraints* over its own variables; the solver joins the files and propagates objects
until nothing changes or a bound is reached. Heuristics then fill in what is unknown.
"""
