enum class Color {
    RED;

    fun hex() {
    }
}

fun main() {
    Color.RED.hex()
}
