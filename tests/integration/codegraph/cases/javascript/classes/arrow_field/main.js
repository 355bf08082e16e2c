class View {
  onClick = () => {
    this.draw();
  };

  draw() {}
}
