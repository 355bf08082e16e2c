class Base
{
    public virtual void Close()
    {
    }
}

class Child : Base
{
    public override void Close()
    {
        base.Close();
    }
}
