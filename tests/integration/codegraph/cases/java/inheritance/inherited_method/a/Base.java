package a;

public class Base {
    protected void setup() {
    }
}
