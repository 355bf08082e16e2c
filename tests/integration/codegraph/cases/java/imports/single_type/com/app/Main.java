package com.app;

import com.shop.Cart;

public class Main {
    void run() {
        Cart.empty();
    }
}
