//! Removal by descriptor.
