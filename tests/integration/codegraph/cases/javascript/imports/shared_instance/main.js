import { log } from "./log";

log.write();
