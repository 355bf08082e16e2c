interface Shape {
    fun area(): Double
}

class Square : Shape {
    override fun area(): Double = 1.0
}

fun measure(shape: Shape) = shape.area()
