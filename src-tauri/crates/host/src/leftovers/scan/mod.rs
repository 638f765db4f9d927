//! What may be a leftover, found in its places.
