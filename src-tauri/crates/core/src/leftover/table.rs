//! The classes, one row each.
