struct Car;

impl Car {
    fn new() -> Self {
        Car
    }

    fn start(&self) {}
}

fn main() {
    let car = Car::new();
    car.start();
}
