class Base {
  constructor() {}

  close() {}
}

class Child extends Base {
  constructor() {
    super();
  }

  close() {
    super.close();
  }
}
