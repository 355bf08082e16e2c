mod tools;

use crate::tools::{cut as slice, saw};

fn main() {
    saw();
    slice();
}
