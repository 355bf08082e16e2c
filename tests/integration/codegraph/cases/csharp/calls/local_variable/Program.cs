class Car
{
    public Car()
    {
    }

    public void Start()
    {
    }
}

class Program
{
    static void Main()
    {
        var car = new Car();
        car.Start();
        Car other = new();
        other.Start();
    }
}
