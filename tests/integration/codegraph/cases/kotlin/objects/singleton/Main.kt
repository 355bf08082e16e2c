object Registry {
    fun add() {
        check()
    }

    private fun check() {
    }
}

fun main() {
    Registry.add()
}
