mod tools;

use tools::saw;

fn main() {
    saw();
    tools::cut();
}
