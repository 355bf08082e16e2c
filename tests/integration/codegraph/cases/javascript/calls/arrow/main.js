const add = (a, b) => a + b;
const run = () => add(1, 2);

run();
