namespace App.Jobs;

public class Job
{
    public void Run()
    {
        Step();
        this.Step();
    }

    private void Step()
    {
    }
}
