using Kit = Lib.Tools;

class Program
{
    void Run()
    {
        Kit.Saw();
    }
}
