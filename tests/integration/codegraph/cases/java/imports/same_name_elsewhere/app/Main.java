package app;

import two.Tool;

class Main {
    void run() {
        new Tool().use();
    }
}
