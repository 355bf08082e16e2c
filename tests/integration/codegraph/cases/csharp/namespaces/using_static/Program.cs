using static Lib.Tools;

class Program
{
    void Run()
    {
        Saw();
    }
}
