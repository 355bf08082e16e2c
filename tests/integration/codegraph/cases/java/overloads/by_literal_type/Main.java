class Main {
    void put(int a) {
    }

    void put(String a) {
    }

    void run() {
        put("x");
    }
}
