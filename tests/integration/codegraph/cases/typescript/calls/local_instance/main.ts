class Car {
  constructor() {}

  start(): void {}
}

const car = new Car();
car.start();
