class Main {
    void put(int a) {
    }

    void put(int a, int b) {
    }

    void run() {
        put(1);
        put(1, 2);
    }
}
