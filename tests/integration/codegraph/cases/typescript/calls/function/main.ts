function helper(): void {}

helper();
