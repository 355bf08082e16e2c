exports.saw = function () {};
