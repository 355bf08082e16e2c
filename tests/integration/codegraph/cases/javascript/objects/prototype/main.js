function Animal() {}

Animal.prototype.eat = function () {
  this.chew();
};
Animal.prototype.chew = function () {};

const animal = new Animal();
animal.eat();
