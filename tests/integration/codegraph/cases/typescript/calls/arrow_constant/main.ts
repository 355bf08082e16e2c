const helper = (n: number): number => n;

export const run = () => helper(1);
