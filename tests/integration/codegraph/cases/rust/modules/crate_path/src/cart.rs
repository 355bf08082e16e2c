pub fn add() {}
