import unknown
unknown.thing.call()
x = unknown.Class()
x.method()
