interface Shape {
    double area();
}

class Square implements Shape {
    public double area() {
        return 1;
    }
}

class Main {
    double run(Shape shape) {
        return shape.area();
    }
}
