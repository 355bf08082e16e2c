class Car {
    Car() {
    }

    void start() {
    }
}
