open class Base(n: Int)

class Child : Base(1)
