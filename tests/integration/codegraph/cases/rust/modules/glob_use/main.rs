mod tools;

use tools::*;

fn main() {
    saw();
}
