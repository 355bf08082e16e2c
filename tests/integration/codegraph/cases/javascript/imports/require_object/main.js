const tools = require("./tools");
const { cut } = require("./tools");

tools.saw();
cut();
