package b;

import a.Base;

public class Main extends Base {
    void run() {
        setup();
    }
}
