struct Car;

impl Car {
    fn start(&self) {}
}

fn find() -> Result<Car, String> {
    Ok(Car)
}

fn main() -> Result<(), String> {
    let car = find()?;
    car.start();
    find().unwrap().start();
    Ok(())
}
