class Car {
    fun start() {
    }
}

fun main() {
    val car = Car()
    car.start()
}
