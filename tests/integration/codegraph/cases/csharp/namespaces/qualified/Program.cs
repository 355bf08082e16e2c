class Program
{
    void Run(Lib.Saw saw)
    {
        saw.Cut();
        new Lib.Saw().Cut();
    }
}
