fun put(a: Int) {
}

fun put(a: String) {
}

fun main() {
    put("x")
}
