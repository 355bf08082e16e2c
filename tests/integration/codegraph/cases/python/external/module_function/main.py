import os
from json import loads as parse

os.path.join("a", "b")
parse("{}")
