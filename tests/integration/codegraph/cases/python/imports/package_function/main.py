import pkg
pkg.f()
