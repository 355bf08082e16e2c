export * from "./saw";
export { slice as cut } from "./slice";
