package one;

public class Tool {
    public void use() {
    }
}
