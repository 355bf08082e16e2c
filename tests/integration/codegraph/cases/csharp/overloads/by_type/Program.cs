class Cat
{
}

class Program
{
    void Put(string a)
    {
    }

    void Put(Cat a)
    {
    }

    void Run(Cat cat)
    {
        Put(cat);
    }
}
