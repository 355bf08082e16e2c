class Item
{
}

static class ItemExtensions
{
    public static void Label(this Item item)
    {
    }
}

class Program
{
    void Run(Item item)
    {
        item.Label();
    }
}
