class Car {
    fun start() {
    }
}

fun find(): Car? = null

fun main() {
    val car: Car? = find()
    car?.start()
    find()!!.start()
}
