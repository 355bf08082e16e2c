mod blades;

pub use blades::saw;
