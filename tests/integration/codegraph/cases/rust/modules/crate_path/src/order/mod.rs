use crate::cart::add;

pub fn place() {
    add();
    crate::cart::add();
    super::cart::add();
}
