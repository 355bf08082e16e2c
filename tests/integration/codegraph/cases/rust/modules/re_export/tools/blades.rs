pub fn saw() {}
