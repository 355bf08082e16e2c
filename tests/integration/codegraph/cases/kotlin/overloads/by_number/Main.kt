fun put(a: Int) {
}

fun put(a: Int, b: Int) {
}

fun main() {
    put(1)
    put(1, 2)
}
