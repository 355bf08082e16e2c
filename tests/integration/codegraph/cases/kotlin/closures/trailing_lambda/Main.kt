fun twice(n: Int, action: () -> Unit) {
    action()
}

fun work() {
}

fun main() {
    twice(2) { work() }
}
