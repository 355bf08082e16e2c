package com.app;

class Main {
    void run() {
        Helper.help();
    }
}
