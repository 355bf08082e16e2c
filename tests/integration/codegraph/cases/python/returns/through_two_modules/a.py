from b import make
def get():
    return make()
