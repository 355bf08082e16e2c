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
        items.ForEach(item => item.Ship());
    }
}
