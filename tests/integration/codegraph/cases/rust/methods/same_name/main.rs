struct Cat;
struct Dog;

impl Cat {
    fn eat(&self) {}
}

impl Dog {
    fn eat(&self) {}
}

fn feed(dog: &Dog) {
    dog.eat();
}
