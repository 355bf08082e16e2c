class Point(val x: Int, val y: Int) {
    constructor(x: Int) : this(x, 0)
}

fun main() {
    Point(1)
    Point(1, 2)
}
