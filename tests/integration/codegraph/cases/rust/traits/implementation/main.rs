trait Shape {
    fn area(&self) -> f64;
}

struct Square;

impl Shape for Square {
    fn area(&self) -> f64 {
        1.0
    }
}

fn main() {
    let square = Square;
    measure(&square);
}

fn direct(square: Square) {
    square.area();
}

fn measure(shape: &dyn Shape) {
    shape.area();
}
