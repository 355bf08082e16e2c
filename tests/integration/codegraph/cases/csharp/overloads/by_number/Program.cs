class Program
{
    void Put(int a)
    {
    }

    void Put(int a, int b)
    {
    }

    void Run()
    {
        Put(1);
        Put(1, 2);
    }
}
