//! Programs that bun made into one executable: they unpack copies of native libraries as bun itself does
//! (oven-sh/bun#29585), whatever they are called.
//!
//! What was put behind the executable ends with a line of bun's own; newer ones keep it in a section
//! `.bun` instead (ELF; seen in Claude Code 2.1.270).

use std::io::{self, Read, Seek, SeekFrom};

const LINE: &[u8] = b"\n---- Bun! ----\n";
const SECTION: &[u8] = b".bun";

/// Whether an executable was built with bun.
///
/// # Errors
/// Where it cannot be read.
pub(super) fn is_built_with(file: &mut (impl Read + Seek)) -> io::Result<bool> {
    const TAIL: u64 = 4096;
    let size = file.seek(SeekFrom::End(0))?;
    let tail = part(file, size.saturating_sub(TAIL), TAIL)?;
    if tail.windows(LINE.len()).any(|window| window == LINE) {
        return Ok(true);
    }
    Ok(sections(file)?
        .is_some_and(|names| names.split(|byte| *byte == 0).any(|name| name == SECTION)))
}

/// The names of an ELF file's sections, for 64 bits and the usual order of bytes; none for other files.
fn sections(file: &mut (impl Read + Seek)) -> io::Result<Option<Vec<u8>>> {
    const LONGEST: u64 = 64 * 1024;
    let header = part(file, 0, 64)?;
    if !header.starts_with(b"\x7fELF\x02\x01") {
        return Ok(None);
    }
    let numbers = (
        number(&header, 40, 8),
        number(&header, 58, 2),
        number(&header, 62, 2),
    );
    let (Some(table), Some(each), Some(nth)) = numbers else {
        return Ok(None);
    };
    let entry = part(file, table.saturating_add(each.saturating_mul(nth)), 64)?;
    let (Some(begin), Some(length)) = (number(&entry, 24, 8), number(&entry, 32, 8)) else {
        return Ok(None);
    };
    Ok(Some(part(file, begin, length.min(LONGEST))?))
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let field = bytes.get(at..at.checked_add(length)?)?;
    Some(
        field
            .iter()
            .rev()
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte)),
    )
}

/// Up to `length` bytes from `begin` on; fewer where the file ends.
fn part(file: &mut (impl Read + Seek), begin: u64, length: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(begin))?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn built(bytes: &[u8]) -> bool {
        is_built_with(&mut Cursor::new(bytes.to_vec())).unwrap()
    }

    fn elf(names: &[u8]) -> Vec<u8> {
        let mut file = vec![0; 200];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[40] = 64;
        file[58] = 64;
        file[62] = 1;
        file[128 + 24] = 200;
        file[128 + 32] = u8::try_from(names.len()).unwrap();
        file.extend_from_slice(names);
        file
    }

    #[test]
    fn both_marks_are_found_and_others_are_not() {
        assert!(built(
            b"\x7fELF anything \n---- Bun! ----\n\x01\x02\0\0\0\0\0\0"
        ));
        assert!(built(&elf(b"\0.text\0.bun\0.data\0")));
        assert!(!built(&elf(b"\0.text\0.bundle\0")));
        assert!(!built(b"#!/bin/sh\necho Bun!\n"));
        assert!(!built(b""));
    }

    #[test]
    fn hostile_headers_are_no_mark() {
        let mut file = elf(b"\0.text\0");
        for at in [40, 58, 62, 128 + 24, 128 + 32] {
            let kept = file[at];
            file[at] = 0xff;
            file[at + 1] = 0xff;
            assert!(!built(&file), "{at}");
            file[at] = kept;
            file[at + 1] = 0;
        }
        assert!(!built(&file[..70]));
        let mut far = elf(b"");
        far[40..48].copy_from_slice(&[0xff; 8]);
        let answer = is_built_with(&mut Cursor::new(far));
        assert!(!answer.unwrap_or(false));
    }
}
