from pkg import *
f()
