pub(super) use super::path::exact as path;
