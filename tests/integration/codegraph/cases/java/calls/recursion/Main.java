class Main {
    int fact(int n) {
        return n < 2 ? 1 : n * fact(n - 1);
    }
}
