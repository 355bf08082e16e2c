class Box {
  constructor(item) {
    this.check(item);
  }

  check() {}
}

const box = new Box(1);
box.check();
