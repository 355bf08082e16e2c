class Program
{
    static void Main()
    {
        Helper();
        Program.Helper();
    }

    static void Helper()
    {
    }
}
