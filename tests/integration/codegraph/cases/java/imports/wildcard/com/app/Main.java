package com.app;

import com.shop.*;

public class Main {
    void run(Cart cart) {
        cart.add();
    }
}
