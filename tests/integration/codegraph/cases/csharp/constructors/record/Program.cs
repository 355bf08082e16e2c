record Point(int X, int Y);

class Program
{
    Point Make() => new Point(1, 2);
}
