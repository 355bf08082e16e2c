using A;

namespace B
{
    public class Child : Base
    {
        void Run()
        {
            Setup();
        }
    }
}
