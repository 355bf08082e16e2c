package app

fun main() {
    helper()
}

fun helper() {
}
