import pkg.sub as s
s.run()
