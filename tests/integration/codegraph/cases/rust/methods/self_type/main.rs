struct Car;

impl Car {
    fn new() -> Self {
        Self::check();
        Self {}
    }

    fn check() {}
}
