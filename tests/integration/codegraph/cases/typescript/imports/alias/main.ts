import { helper as assist } from "./helper";

assist();
