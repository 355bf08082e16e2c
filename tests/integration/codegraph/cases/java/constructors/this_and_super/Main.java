class Base {
    Base(int n) {
    }
}

class Main extends Base {
    Main() {
        this(1);
    }

    Main(int n) {
        super(n);
    }
}
