export function saw() {}
