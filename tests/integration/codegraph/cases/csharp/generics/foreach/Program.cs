using System.Collections.Generic;

class Item
{
    public void Ship()
    {
    }
}

class Program
{
    void ShipAll(List<Item> items)
    {
        foreach (var item in items)
        {
            item.Ship();
        }

        items[0].Ship();
    }
}
