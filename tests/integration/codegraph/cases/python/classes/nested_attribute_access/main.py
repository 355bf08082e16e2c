import lib
lib.sub.A().go()
