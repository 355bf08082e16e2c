enum Color {
    RED;

    String hex() {
        return "";
    }
}

class Main {
    void run() {
        Color.RED.hex();
    }
}
