class Program
{
    T Make<T>()
    {
        return default;
    }

    void Run()
    {
        Make<int>();
    }
}
