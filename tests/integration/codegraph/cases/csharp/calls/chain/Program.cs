class Query
{
    public Query Where() => this;

    public void Run()
    {
    }
}

class Program
{
    void Start(Query query)
    {
        query.Where().Where().Run();
    }
}
