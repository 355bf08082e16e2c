package com.shop;

public class Maths {
    public static int twice(int n) {
        return n;
    }
}
