"""From files to a searchable index, with `Index` as its public interface."""
