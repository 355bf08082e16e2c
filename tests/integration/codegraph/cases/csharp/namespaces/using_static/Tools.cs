namespace Lib
{
    public static class Tools
    {
        public static void Saw()
        {
        }
    }
}
