const { saw } = require("./tools");

saw();
