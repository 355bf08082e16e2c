import os
import os.path as p
p.join("a", "b")
os.path.exists("a")
