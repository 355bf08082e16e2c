package a

open class Base {
    fun setup() {
    }
}
