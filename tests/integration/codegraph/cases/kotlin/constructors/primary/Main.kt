class Point(val x: Int, val y: Int)

fun main() {
    Point(1, 2)
}
