class Point {
    Point() {
    }

    Point(int x, int y) {
    }
}

class Main {
    void run() {
        new Point();
        new Point(1, 2);
    }
}
