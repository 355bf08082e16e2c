from lib import *
f()
