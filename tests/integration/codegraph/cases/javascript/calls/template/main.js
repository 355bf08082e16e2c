function name() {
  return "x";
}

const text = `hello ${name()}`;
