namespace App.Shop
{
    public class Cart
    {
        void Build()
        {
            Tools.Saw();
        }
    }
}
