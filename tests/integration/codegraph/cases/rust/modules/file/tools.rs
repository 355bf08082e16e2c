pub fn saw() {}

pub fn cut() {}
