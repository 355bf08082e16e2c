package com.shop;

public class Cart {
    public void add() {
    }
}
