const Tool = require("./tool");

const tool = new Tool();
tool.use();
