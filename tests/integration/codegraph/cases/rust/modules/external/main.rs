use std::fs;
use std::collections::HashMap;

fn main() {
    fs::read("x");
    HashMap::new();
}
