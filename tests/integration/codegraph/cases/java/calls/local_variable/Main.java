class Main {
    void run() {
        Car car = new Car();
        car.start();
    }
}
