open class Base {
    open fun close() {
    }
}

class Main : Base() {
    override fun close() {
        super.close()
    }
}
