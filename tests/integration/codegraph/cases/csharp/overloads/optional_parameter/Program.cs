class Program
{
    void Log(string text, int level = 1)
    {
    }

    void Log()
    {
    }

    void Run()
    {
        Log("a");
    }
}
