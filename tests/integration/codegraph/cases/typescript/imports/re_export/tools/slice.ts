export function slice(): void {}
