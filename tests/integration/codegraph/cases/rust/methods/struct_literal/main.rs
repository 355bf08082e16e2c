struct Point {
    x: i32,
}

impl Point {
    fn norm(&self) {}
}

fn main() {
    let point = Point { x: 1 };
    point.norm();
}
