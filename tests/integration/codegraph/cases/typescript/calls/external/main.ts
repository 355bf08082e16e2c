import express from "express";
import { readFile } from "fs";
import * as path from "path";

const app = express();
readFile("x");
path.join("a", "b");
console.log("x");
