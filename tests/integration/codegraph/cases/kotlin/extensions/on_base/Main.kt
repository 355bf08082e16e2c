open class Animal

class Dog : Animal()

fun Animal.feed() {
}

fun main(dog: Dog) {
    dog.feed()
}
