class Car
{
}

class Program
{
    object Make() => new Car();
}
