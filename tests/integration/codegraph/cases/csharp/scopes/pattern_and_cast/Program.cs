class Dog
{
    public void Bark()
    {
    }
}

class Program
{
    void Run(object o)
    {
        if (o is Dog dog)
        {
            dog.Bark();
        }

        ((Dog)o).Bark();
        (o as Dog).Bark();
    }
}
