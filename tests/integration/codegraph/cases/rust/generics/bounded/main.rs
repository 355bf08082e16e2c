struct Stack<T> {
    items: Vec<T>,
}

impl<T> Stack<T> {
    fn push(&mut self, item: T) {
        self.check();
    }

    fn check(&self) {}
}

fn main() {
    let mut stack: Stack<i32> = Stack { items: Vec::new() };
    stack.push(1);
}
