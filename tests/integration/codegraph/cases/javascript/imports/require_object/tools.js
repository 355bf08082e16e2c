function saw() {}
function slice() {}

module.exports = { saw, cut: slice };
