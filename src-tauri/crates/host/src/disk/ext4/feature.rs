//! Feature bits of the ext family, as far as numbers depend on them.

use crate::error::Cause;

/// Features an older reader may ignore.
pub(super) mod compat {
    pub(in super::super) const HAS_JOURNAL: u32 = 0x4;
    pub(in super::super) const SPARSE_SUPER2: u32 = 0x200;
}

/// Features an older reader must not ignore.
pub(super) mod incompat {
    pub(in super::super) const FILETYPE: u32 = 0x2;
    pub(in super::super) const RECOVER: u32 = 0x4;
    pub(in super::super) const JOURNAL_DEV: u32 = 0x8;
    pub(in super::super) const META_BG: u32 = 0x10;
    pub(in super::super) const EXTENTS: u32 = 0x40;
    pub(in super::super) const BITS_64: u32 = 0x80;
    pub(in super::super) const CSUM_SEED: u32 = 0x2000;
    pub(in super::super) const LARGE_DIR: u32 = 0x4000;
}

/// Features an older reader may read past.
pub(super) mod ro_compat {
    pub(in super::super) const SPARSE_SUPER: u32 = 0x1;
    pub(in super::super) const LARGE_FILE: u32 = 0x2;
    pub(in super::super) const HUGE_FILE: u32 = 0x8;
    pub(in super::super) const GDT_CSUM: u32 = 0x10;
    pub(in super::super) const BIGALLOC: u32 = 0x200;
    pub(in super::super) const METADATA_CSUM: u32 = 0x400;
}

/// filetype, recover, meta_bg, extents, 64bit, mmp, flex_bg, ea_inode, csum_seed, largedir,
/// inline_data, encrypt, casefold: what Linux 6 mounts, none of which moves what we read.
const KNOWN: u32 = 0x3_e7d6;

/// Refuses what changes the layout in ways we do not know.
///
/// # Errors
/// Unsupported, with the features' bits or names.
pub(super) fn check(incompat: u32) -> Result<(), Cause> {
    if incompat & incompat::JOURNAL_DEV != 0 {
        return Err(Cause::Unsupported(
            "it is an external journal, not a filesystem".to_owned(),
        ));
    }
    match incompat & !KNOWN {
        0 => Ok(()),
        0x1 => Err(Cause::Unsupported("ext4 feature compression".to_owned())),
        0x1000 => Err(Cause::Unsupported("ext4 feature dirdata".to_owned())),
        unknown => Err(Cause::Unsupported(format!(
            "ext4 feature bits {unknown:#x}"
        ))),
    }
}
