package com.app;

import static com.shop.Maths.twice;

public class Main {
    int run() {
        return twice(2);
    }
}
