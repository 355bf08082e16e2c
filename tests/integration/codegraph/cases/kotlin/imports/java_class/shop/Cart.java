package shop;

public class Cart {
    public void add(int n) {
    }
}
