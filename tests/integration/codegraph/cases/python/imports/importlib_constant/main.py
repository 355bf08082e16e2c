import importlib
m = importlib.import_module("lib")
m.f()
