struct Car;

impl Car {
    fn start(&self) {}
}

fn find() -> Option<Car> {
    None
}

fn main() {
    if let Some(car) = find() {
        car.start();
    }
}
