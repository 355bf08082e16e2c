package tools

fun saw() {
}
