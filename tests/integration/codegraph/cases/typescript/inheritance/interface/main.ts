interface Shape {
  area(): number;
}

class Square implements Shape {
  area(): number {
    return 1;
  }
}

const measure = (shape: Shape) => shape.area();
