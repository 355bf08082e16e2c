package two;

public class Tool {
    public void use() {
    }
}
