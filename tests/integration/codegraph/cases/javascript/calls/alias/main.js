function work() {}

const same = work;
same();
