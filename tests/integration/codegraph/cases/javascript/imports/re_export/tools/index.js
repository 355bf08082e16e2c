import { saw } from "./saw";

export { saw };
