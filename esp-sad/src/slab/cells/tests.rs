//! What is left in a cell after its value is gone.
