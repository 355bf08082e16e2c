class Box<T> {
  constructor(private value: T) {}

  get(): T {
    return this.value;
  }
}

class Item {
  ship(): void {}
}

function open(box: Box<Item>): void {
  box.get().ship();
}
