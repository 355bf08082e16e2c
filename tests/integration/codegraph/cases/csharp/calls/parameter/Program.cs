class Log
{
    public void Write()
    {
    }
}

class Program
{
    void Use(Log log, params Log[] more)
    {
        log.Write();
        log?.Write();
        more[0].Write();
    }
}
