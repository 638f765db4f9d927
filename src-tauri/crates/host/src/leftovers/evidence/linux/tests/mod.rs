//! Real processes of our own, and trees of `/proc` that tests write.

mod speed;
