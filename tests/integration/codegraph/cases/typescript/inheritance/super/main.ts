class Base {
  constructor(n: number) {}

  close(): void {}
}

class Child extends Base {
  constructor() {
    super(1);
  }

  close(): void {
    super.close();
  }
}
