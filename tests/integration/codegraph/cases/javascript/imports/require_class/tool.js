class Tool {
  use() {}
}

module.exports = Tool;
