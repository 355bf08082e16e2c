class Main {
    public static void main(String[] args) {
        helper();
        Main.helper();
    }

    static void helper() {
    }
}
