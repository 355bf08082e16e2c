import Tool from "./tool";

new Tool().use();
