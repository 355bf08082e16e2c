namespace Lib
{
    public class Saw
    {
        public void Cut()
        {
        }
    }
}
