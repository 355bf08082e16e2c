interface IShape
{
    double Area();
}

class Square : IShape
{
    public double Area() => 1;
}

class Program
{
    double Measure(IShape shape) => shape.Area();
}
