class Car {
  start() {}
}

function make() {
  return new Car();
}

make().start();
