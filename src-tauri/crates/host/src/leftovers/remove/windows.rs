//! Windows: not yet.
