const Tool = class {
  use() {}
};

new Tool().use();
