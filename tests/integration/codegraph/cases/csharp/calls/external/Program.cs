using System;

class Program
{
    static void Main()
    {
        Console.WriteLine("x");
        Math.Max(1, 2);
    }
}
