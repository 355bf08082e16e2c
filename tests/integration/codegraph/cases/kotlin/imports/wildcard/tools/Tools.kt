package tools

class Hammer {
    fun hit() {
    }
}
