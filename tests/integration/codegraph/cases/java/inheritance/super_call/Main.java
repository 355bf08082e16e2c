class Base {
    void close() {
    }
}

class Main extends Base {
    @Override
    void close() {
        super.close();
    }
}
