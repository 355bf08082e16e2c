namespace App;

public partial class Page
{
    void Load()
    {
        Draw();
    }
}
