//! The three checksums of partition tables, VHDX and ext4, all in their reflected form.
//!
//! A byte at a time is enough for tables and superblocks. Looking inside a disk checks every inode and every
//! block of its directories as well, some 70 MB for 100,000 files: that is CRC-32C, and a byte at a time
//! it took four fifths of the time, sixteen at a time still more than half. The crate `crc32c` has the
//! processor do it. `crc32c` here does not invert its result; its callers know which format wants that.

const CRC32: [u32; 256] = table(0xedb8_8320);
const CRC16: [u32; 256] = table(0xa001);

/// CRC-32 as GPT uses it (IEEE 802.3), inverted at both ends.
pub(super) fn crc32(parts: &[&[u8]]) -> u32 {
    !run(&CRC32, u32::MAX, parts)
}

/// Whether a stored checksum is the computed one. Fuzzing believes all of them: what lies behind a checksum would
/// else never be reached by chance.
pub(super) fn agrees<T: PartialEq>(computed: T, stored: T) -> bool {
    #[cfg(test)]
    if BELIEVING.get() {
        return true;
    }
    cfg!(feature = "fuzz") || computed == stored
}

#[cfg(test)]
thread_local! {
    static BELIEVING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs `work` with every checksum believed, or not.
#[cfg(test)]
pub(super) fn believing(all: bool, work: impl FnOnce()) {
    BELIEVING.set(all);
    work();
    BELIEVING.set(false);
}

/// CRC-32C as ext4's `metadata_csum` uses it: continues from `seed`, never inverted.
pub(super) fn crc32c(seed: u32, parts: &[&[u8]]) -> u32 {
    let sum = |sum, part: &&[u8]| ::crc32c::crc32c_append(sum, part);
    !parts.iter().fold(!seed, sum)
}

/// CRC-16 as ext4's older `uninit_bg` descriptors use it, from all ones.
pub(super) fn crc16(parts: &[&[u8]]) -> u16 {
    let [low, high, ..] = run(&CRC16, 0xffff, parts).to_le_bytes();
    u16::from_le_bytes([low, high])
}

fn run(table: &[u32; 256], seed: u32, parts: &[&[u8]]) -> u32 {
    parts.iter().copied().flatten().fold(seed, |crc, byte| {
        let [low, ..] = crc.to_le_bytes();
        (crc >> 8) ^ table[usize::from(low ^ byte)]
    })
}

#[allow(
    clippy::as_conversions,
    clippy::arithmetic_side_effects,
    reason = "From is not const; evaluated at compile time with an index below 256"
)]
const fn table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut entry = index as u32;
        let mut bit = 0;
        while bit < 8 {
            entry = (entry >> 1) ^ if entry & 1 == 1 { polynomial } else { 0 };
            bit += 1;
        }
        table[index] = entry;
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_equal_the_published_check_values() {
        let text: &[&[u8]] = &[b"1234", b"56789"];
        assert_eq!(crc32(text), 0xcbf4_3926);
        assert_eq!(!crc32c(u32::MAX, text), 0xe306_9283);
        // However the bytes are cut, and whatever way the processor has.
        let long: Vec<u8> = (0..5000_u16).map(|n| n.to_le_bytes()[0]).collect();
        let plain = run(&table(0x82f6_3b78), 7, &[&long]);
        for cut in [0, 1, 15, 16, 17, 500, 4999] {
            let (one, two) = long.split_at(cut);
            assert_eq!(crc32c(7, &[one, two]), plain, "{cut}");
        }
        // CRC-16/MODBUS: the same polynomial from all ones.
        assert_eq!(crc16(text), 0x4b37);
    }
}
