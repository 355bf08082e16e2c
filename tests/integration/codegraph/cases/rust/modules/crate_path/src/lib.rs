pub mod cart;
pub mod order;
