class Color {
  static parse(): Color {
    return new Color();
  }

  hex(): void {}
}

Color.parse().hex();
