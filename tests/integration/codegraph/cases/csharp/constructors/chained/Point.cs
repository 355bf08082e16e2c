class Base
{
    public Base(int n)
    {
    }
}

class Point : Base
{
    public Point() : this(1)
    {
    }

    public Point(int x) : base(x)
    {
    }
}
