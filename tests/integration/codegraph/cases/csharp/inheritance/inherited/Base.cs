namespace A
{
    public class Base
    {
        protected void Setup()
        {
        }
    }
}
