class Log
{
    public void Write()
    {
    }
}

class Service
{
    private readonly Log _log;

    public Log Other { get; set; }

    public Service(Log log)
    {
        _log = log;
    }

    public void Serve()
    {
        _log.Write();
        this.Other.Write();
    }
}
