package com.app;

class Helper {
    static void help() {
    }
}
