//! Where bundles and temp roots may lie, as candidates; host looks which exist.
