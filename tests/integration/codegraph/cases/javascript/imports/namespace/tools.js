export const saw = () => {};
