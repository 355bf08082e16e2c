class Main {
    static class Inner {
        Inner() {
        }

        void ping() {
        }
    }

    void run() {
        new Main.Inner().ping();
        Inner other = new Inner();
        other.ping();
    }
}
