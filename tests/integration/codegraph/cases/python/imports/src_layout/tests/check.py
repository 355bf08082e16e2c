from pkg.core import start

start()
