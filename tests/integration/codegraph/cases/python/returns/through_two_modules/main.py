from a import get
get()()
