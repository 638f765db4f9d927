//! Where the bytes of a virtual disk come from.
//!
//! Why a trait: the readers of tables and filesystems must not know whether they look at a file, at
//! a part of a disk, or at bytes that a test made up; formats that map their blocks (VHDX, a journal laid
//! over a disk) become further sources, and the readers stay as they are.

use std::io;

use crate::error::Cause;

/// No single read is larger: every count in an image is somebody else's claim.
pub(super) const READ_CAP: u64 = 1 << 20;

/// Bytes at offsets, never written.
pub(super) trait ReadAt {
    /// How many bytes there are.
    fn length(&self) -> u64;

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// What the system says; `UnexpectedEof` where the bytes end before the buffer is full.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;

    /// Says that these bytes will be read soon. A hint, worth giving where many reads are far apart.
    fn announce(&self, _offset: u64, _length: u64) {}
}

/// Reads `length` bytes at `offset`; `what` names them in the message.
///
/// # Errors
/// Corrupt where the source ends before them or where they are absurdly many, else what reading says.
pub(super) fn fetch(
    source: &dyn ReadAt,
    offset: u64,
    length: u64,
    what: &str,
) -> Result<Vec<u8>, Cause> {
    let fits = offset
        .checked_add(length)
        .is_some_and(|end| end <= source.length());
    if !fits {
        return Err(Cause::Corrupt(format!(
            "it ends at byte {}, before its {what}",
            source.length()
        )));
    }
    let Some(size) = usize::try_from(length).ok().filter(|_| length <= READ_CAP) else {
        return Err(Cause::Corrupt(format!("its {what} claims {length} bytes")));
    };
    let mut bytes = vec![0; size];
    source.read_at(&mut bytes, offset).map_err(cause)?;
    Ok(bytes)
}

/// What a failed [`ReadAt::read_at`] means: sources that map their blocks say `InvalidData` where the
/// map contradicts itself, which is the image's fault and not the system's.
pub(super) fn cause(error: io::Error) -> Cause {
    if error.kind() == io::ErrorKind::InvalidData {
        Cause::Corrupt(error.to_string())
    } else {
        Cause::Io(error)
    }
}

/// What a mapping source answers where its map contradicts itself; see [`cause`].
pub(super) fn invalid(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// A partition: a part of another source that cannot be read beyond its own ends.
pub(super) struct Window<'a> {
    whole: &'a dyn ReadAt,
    start: u64,
    length: u64,
}

impl<'a> Window<'a> {
    /// The part from `start` on, cut where the whole ends.
    pub(super) fn new(whole: &'a dyn ReadAt, start: u64, length: u64) -> Self {
        let length = length.min(whole.length().saturating_sub(start));
        Self {
            whole,
            start,
            length,
        }
    }
}

impl ReadAt for Window<'_> {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let end = u64::try_from(buffer.len())
            .ok()
            .and_then(|size| offset.checked_add(size));
        match (end, self.start.checked_add(offset)) {
            (Some(end), Some(at)) if end <= self.length => self.whole.read_at(buffer, at),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn announce(&self, offset: u64, length: u64) {
        if let Some(at) = self.start.checked_add(offset) {
            self.whole.announce(at, length);
        }
    }
}

/// Bytes in memory: what a test made up.
#[cfg(test)]
impl ReadAt for Vec<u8> {
    fn length(&self) -> u64 {
        u64::try_from(self.len()).unwrap()
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let from = usize::try_from(offset)
            .ok()
            .and_then(|at| self.get(at..))
            .and_then(|rest| rest.get(..buffer.len()))
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(from);
        Ok(())
    }
}

/// Reads a number; corrupt where the bytes end before it.
macro_rules! number {
    ($name:ident, $type:ty, $size:literal, $from:ident, $order:literal) => {
        #[doc = concat!("The ", $order, "-endian number at `at`.")]
        ///
        /// # Errors
        /// Corrupt where the bytes end before it.
        pub(super) fn $name(bytes: &[u8], at: usize) -> Result<$type, Cause> {
            bytes
                .get(at..)
                .and_then(|rest| rest.first_chunk::<$size>())
                .map(|chunk| <$type>::$from(*chunk))
                .ok_or_else(|| Cause::Corrupt("it ends inside a structure".to_owned()))
        }
    };
}

number!(le16, u16, 2, from_le_bytes, "little");
number!(le32, u32, 4, from_le_bytes, "little");
number!(le64, u64, 8, from_le_bytes, "little");
number!(be16, u16, 2, from_be_bytes, "big");
number!(be32, u32, 4, from_be_bytes, "big");
number!(be64, u64, 8, from_be_bytes, "big");

/// Whether `bytes` hold `signature` at `at`.
pub(super) fn has(bytes: &[u8], at: usize, signature: &[u8]) -> bool {
    bytes
        .get(at..)
        .is_some_and(|rest| rest.starts_with(signature))
}
