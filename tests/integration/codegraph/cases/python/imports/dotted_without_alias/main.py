import pkg.sub.mod
pkg.sub.mod.f()
