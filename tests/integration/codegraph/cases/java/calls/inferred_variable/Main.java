class Main {
    void run() {
        var car = new Car();
        car.start();
    }
}

class Car {
    void start() {
    }
}
