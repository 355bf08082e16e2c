using System.Threading.Tasks;

class User
{
    public void Greet()
    {
    }
}

class Program
{
    async Task<User> Load() => new User();

    async Task Start()
    {
        var user = await Load();
        user.Greet();
    }
}
