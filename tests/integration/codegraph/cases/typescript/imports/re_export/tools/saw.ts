export function saw(): void {}
