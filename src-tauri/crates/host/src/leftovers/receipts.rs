//! Receipts of clean-ups: JSON Lines beside the journal of acts, one line each.
//!
//! A clean-up needs no journal to be safe, so that it works on a full disk; what it did is written down
//! afterwards, if there is room.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use sandtray_core::leftover::view::{CleanReceipt, LEFTOVERS_SCHEMA};
use sandtray_core::machine::Machine;

use crate::act::hands::Hands;
use crate::error::Failure;

/// Its name in our own data folder.
const FILE: &str = "cleaned.jsonl";
/// A schedule writes some; beyond this the file is begun anew and the old one kept beside it.
const LONGEST: u64 = 8 * 1024 * 1024;

/// Appends a receipt.
pub(super) fn add(machine: &Machine, receipt: &CleanReceipt) -> io::Result<()> {
    let folder = &machine.own_data;
    Hands::default().make_dirs(folder)?;
    let path = folder.join(FILE);
    if fs::metadata(&path).is_ok_and(|found| found.len() > LONGEST) {
        fs::rename(&path, folder.join("cleaned.old.jsonl"))?;
    }
    let mut line = Vec::new();
    if !ends_well(&path) {
        // What a full disk cut off stays a line of its own.
        line.push(b'\n');
    }
    line.extend(serde_json::to_vec(receipt).map_err(io::Error::other)?);
    line.push(b'\n');
    let mut file = OpenOptions::new().append(true).create(true).open(&path)?;
    file.write_all(&line)?;
    file.sync_data()
}

fn ends_well(path: &Path) -> bool {
    use std::io::{Read, Seek, SeekFrom};
    let Ok(mut file) = fs::File::open(path) else {
        return true;
    };
    if file.seek(SeekFrom::End(-1)).is_err() {
        return true;
    }
    let mut last = [0];
    file.read_exact(&mut last).is_ok() && last == *b"\n"
}

/// Every receipt, oldest first. Lines that make no sense, or are a newer Sandtray's, are passed over.
///
/// # Errors
/// Where the file is there and cannot be read.
pub fn read(machine: &Machine) -> Result<Vec<CleanReceipt>, Failure> {
    let path = machine.own_data.join(FILE);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Failure::io("read the receipts of clean-ups", &path, error)),
    };
    Ok(bytes
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<CleanReceipt>(line).ok())
        .filter(|receipt| receipt.schema <= LEFTOVERS_SCHEMA)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leftovers::tests::machine;

    #[test]
    fn receipts_come_back_in_order_and_a_torn_line_costs_only_itself() {
        let dir = tempfile::tempdir().unwrap();
        let machine = machine(dir.path());
        assert_eq!(read(&machine).unwrap(), []);
        let receipt = |id: &str| CleanReceipt {
            schema: LEFTOVERS_SCHEMA,
            id: id.to_owned(),
            removed: 3,
            ..CleanReceipt::default()
        };
        add(&machine, &receipt("a")).unwrap();
        let path = machine.own_data.join(FILE);
        let mut torn = fs::read(&path).unwrap();
        torn.extend_from_slice(br#"{"schema":1,"id":"to"#);
        fs::write(&path, torn).unwrap();
        add(&machine, &receipt("b")).unwrap();
        let newer = CleanReceipt {
            schema: LEFTOVERS_SCHEMA + 1,
            ..receipt("c")
        };
        add(&machine, &newer).unwrap();
        let ids: Vec<String> = read(&machine)
            .unwrap()
            .into_iter()
            .map(|one| one.id)
            .collect();
        assert_eq!(ids, ["a", "b"]);
    }
}
