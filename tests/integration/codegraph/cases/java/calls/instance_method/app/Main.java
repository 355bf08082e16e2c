package app;

public class Main {
    void run() {
        step();
        this.step();
    }

    void step() {
    }
}
