function helper() {}

helper();
