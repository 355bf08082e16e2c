interface Greeter {
    default void greet() {
        name();
    }

    String name();
}

class Main implements Greeter {
    public String name() {
        return "";
    }

    void run() {
        greet();
    }
}
