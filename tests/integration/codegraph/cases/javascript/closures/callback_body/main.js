function work() {}

[1, 2].forEach(function (n) {
  work(n);
});
