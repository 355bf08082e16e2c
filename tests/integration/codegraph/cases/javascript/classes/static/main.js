class Color {
  static parse() {
    return new Color();
  }

  hex() {}
}

Color.parse().hex();
