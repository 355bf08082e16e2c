from tools import *

saw()
