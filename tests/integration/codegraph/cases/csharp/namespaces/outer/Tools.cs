namespace App
{
    public static class Tools
    {
        public static void Saw()
        {
        }
    }
}
