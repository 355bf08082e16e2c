package com.shop;

public class Cart {
    public static void empty() {
    }
}
