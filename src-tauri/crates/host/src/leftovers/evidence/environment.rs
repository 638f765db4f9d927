//! An environment, as a process was started with it. A later `export` is not seen (#63758).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The variables of one environment: `NAME=value`, separated by NUL.
#[derive(Clone, Copy, Debug)]
pub(super) struct Environment<'a>(pub(super) &'a [u8]);

impl<'a> Environment<'a> {
    /// Names and values, in their order.
    pub(super) fn variables(self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        self.0.split(|byte| *byte == 0).filter_map(|variable| {
            let equals = variable.iter().position(|byte| *byte == b'=')?;
            Some((variable.get(..equals)?, variable.get(equals + 1..)?))
        })
    }

    /// The value of a variable, where it is set and not empty.
    pub(super) fn value(self, name: &str) -> Option<&'a [u8]> {
        self.variables()
            .find(|(known, _)| *known == name.as_bytes())
            .map(|(_, value)| value)
            .filter(|value| !value.is_empty())
    }

    /// The absolute path that a variable names.
    pub(super) fn path(self, name: &str) -> Option<PathBuf> {
        self.value(name)
            .map(path)
            .filter(|named| named.is_absolute())
    }

    /// The first absolute path that one of the variables names, asked in their order.
    pub(super) fn first(self, names: &[&str]) -> Option<PathBuf> {
        names.iter().find_map(|name| self.path(name))
    }
}

/// Takes every absolute path that stands in a value, whatever the variable: the whole value, the parts of
/// a list, and what follows in an option (`--require=/x`, `file:///x`, `unix:path=/x,guid=1`).
pub(super) fn name(value: &[u8], named: &mut BTreeSet<PathBuf>) {
    let mut take = |bytes: &[u8]| {
        if let [b'/', rest @ ..] = bytes
            && rest.iter().any(|byte| *byte != b'/')
        {
            named.insert(path(bytes));
        }
    };
    take(value);
    for part in value.split(|byte| *byte == b':') {
        take(part);
    }
    let within = |byte: &u8| {
        matches!(
            byte,
            b' ' | b'\t' | b'\n' | b',' | b';' | b'=' | b':' | b'"' | b'\''
        )
    };
    for part in value.split(within) {
        take(part);
    }
}

#[cfg(unix)]
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned()
}

#[cfg(not(unix))]
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    Path::new(&*String::from_utf8_lossy(bytes)).to_owned()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_found_by_its_whole_name_and_an_empty_one_says_nothing() {
        let told = Environment(b"XTMPDIR=/no\0TMPDIR=/t\0EMPTY=\0junk\0A=b=c\0REL=x/y\0");
        assert_eq!(told.path("TMPDIR"), Some("/t".into()));
        assert_eq!(told.value("EMPTY"), None);
        assert_eq!(told.value("A"), Some(&b"b=c"[..]));
        assert_eq!(told.path("REL"), None);
        assert_eq!(told.first(&["EMPTY", "REL", "TMPDIR"]), Some("/t".into()));
    }

    #[test]
    fn every_absolute_path_in_a_value_is_named() {
        let of = |value: &str| {
            let mut named = BTreeSet::new();
            name(value.as_bytes(), &mut named);
            named
        };
        let set = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<BTreeSet<_>>();
        assert_eq!(of("/tmp/srt-ca-Ab12xY/trust-bundle.crt"), {
            set(&["/tmp/srt-ca-Ab12xY/trust-bundle.crt"])
        });
        assert!(of("/a:/b c:rel").is_superset(&set(&["/a:/b c:rel", "/a", "/b c"])));
        assert_eq!(
            of("--require=/x/y.js --max-old-space-size=1"),
            set(&["/x/y.js"])
        );
        assert!(of("unix:path=/run/bus,guid=1").contains(Path::new("/run/bus")));
        assert!(of("file:///tmp/x").contains(Path::new("/tmp/x")));
        assert_eq!(of("relative"), set(&[]));
        assert_eq!(of("/"), set(&[]));
        assert_eq!(of("//"), set(&[]));
    }
}
