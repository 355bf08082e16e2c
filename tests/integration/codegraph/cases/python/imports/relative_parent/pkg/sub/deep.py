from ..util import f
from .. import top
from . import sibling
f()
top()
sibling.s()
