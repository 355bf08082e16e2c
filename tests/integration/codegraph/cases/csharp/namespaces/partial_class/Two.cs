namespace App;

public partial class Page
{
    void Draw()
    {
    }
}
