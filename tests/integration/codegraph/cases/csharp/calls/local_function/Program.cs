class Program
{
    void Run()
    {
        void Inner()
        {
        }

        Inner();
    }
}
