//! Looks at processes through `libproc`.

#![allow(unsafe_code, reason = "libproc has no safe wrapper")]

use std::ffi::OsString;
use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::super::proc::Stat;

/// Shows a vnode of a descriptor: who the file is. Not in `libc`.
const PROC_PIDFDVNODEINFO: libc::c_int = 1;

/// `struct vnode_fdinfo` of `<sys/proc_info.h>`: what the descriptor is, then what the file is.
#[repr(C)]
struct VnodeOfDescriptor {
    open_flags: u32,
    status: u32,
    offset: libc::off_t,
    kind: i32,
    guard_flags: u32,
    vnode: libc::vnode_info,
}

/// One of our own processes.
pub(super) struct Own {
    pub(super) parent: u32,
    /// Microseconds since 1970.
    pub(super) started: u64,
}

/// A file, as `stat` numbers it.
pub(super) type Identity = (u64, u64);

/// Every process.
pub(super) fn pids() -> io::Result<Vec<u32>> {
    // SAFETY: without a buffer the call only says how many there are.
    let many = unsafe { libc::proc_listallpids(std::ptr::null_mut(), 0) };
    let room = usize::try_from(many).map_err(|_| io::Error::last_os_error())? + 64;
    let mut pids = vec![0_i32; room];
    let size = libc::c_int::try_from(room * size_of::<i32>()).map_err(io::Error::other)?;
    // SAFETY: the buffer is as long as it is said to be.
    let filled = unsafe { libc::proc_listallpids(pids.as_mut_ptr().cast(), size) };
    let filled = usize::try_from(filled).map_err(|_| io::Error::last_os_error())?;
    Ok(pids
        .into_iter()
        .take(filled)
        .filter_map(|pid| u32::try_from(pid).ok())
        .collect())
}

/// One record about a process.
fn about<T>(pid: u32, flavor: libc::c_int) -> io::Result<T> {
    let pid = libc::c_int::try_from(pid).map_err(io::Error::other)?;
    let size = libc::c_int::try_from(size_of::<T>()).map_err(io::Error::other)?;
    let mut record = MaybeUninit::<T>::uninit();
    // SAFETY: the buffer is as long as it is said to be, and the callers name the flavor of their record.
    let filled = unsafe { libc::proc_pidinfo(pid, flavor, 0, record.as_mut_ptr().cast(), size) };
    if filled < size {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: all of it was filled, with numbers.
    Ok(unsafe { record.assume_init() })
}

/// What is known of one of our own processes; `None` where it is another's or has ended.
pub(super) fn own(pid: u32) -> Option<Own> {
    let record: libc::proc_bsdinfo = about(pid, libc::PROC_PIDTBSDINFO).ok()?;
    (record.pbi_uid == rustix::process::geteuid().as_raw()).then_some(Own {
        parent: record.pbi_ppid,
        started: record.pbi_start_tvsec * 1_000_000 + record.pbi_start_tvusec,
    })
}

/// What everybody may know of a process: its parent and its name.
pub(super) fn stat(pid: u32) -> Option<Stat> {
    let record: libc::proc_bsdshortinfo = about(pid, libc::PROC_PIDT_SHORTBSDINFO).ok()?;
    let name = record
        .pbsi_comm
        .iter()
        .map(|byte| byte.to_ne_bytes()[0])
        .take_while(|byte| *byte != 0)
        .collect();
    Some(Stat {
        pid,
        parent: record.pbsi_ppid,
        name,
        ended: false,
        threads: 1,
        started: 0,
    })
}

/// The path of its executable.
pub(super) fn executable(pid: u32) -> Option<PathBuf> {
    const ROOM: u32 = 4096;
    let mut path = vec![0_u8; usize::try_from(ROOM).ok()?];
    // SAFETY: the buffer is as long as it is said to be.
    let filled = unsafe {
        libc::proc_pidpath(
            libc::c_int::try_from(pid).ok()?,
            path.as_mut_ptr().cast(),
            ROOM,
        )
    };
    path.truncate(usize::try_from(filled).ok().filter(|filled| *filled > 0)?);
    Some(OsString::from_vec(path).into())
}

/// The files a process has open.
///
/// # Errors
/// Where it may not be looked into, or has ended.
pub(super) fn open_files(pid: u32) -> io::Result<Vec<Identity>> {
    let number = libc::c_int::try_from(pid).map_err(io::Error::other)?;
    let each = size_of::<libc::proc_fdinfo>();
    // SAFETY: without a buffer the call only says how many bytes it needs.
    let needed =
        unsafe { libc::proc_pidinfo(number, libc::PROC_PIDLISTFDS, 0, std::ptr::null_mut(), 0) };
    if needed <= 0 {
        return Err(io::Error::last_os_error());
    }
    let room = usize::try_from(needed).map_err(io::Error::other)? / each + 64;
    let mut list: Vec<libc::proc_fdinfo> = Vec::with_capacity(room);
    let size = libc::c_int::try_from(room * each).map_err(io::Error::other)?;
    // SAFETY: the buffer is as long as it is said to be.
    let filled = unsafe {
        libc::proc_pidinfo(
            number,
            libc::PROC_PIDLISTFDS,
            0,
            list.as_mut_ptr().cast(),
            size,
        )
    };
    if filled <= 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: so many records were filled, with numbers; it cannot be more than there was room for.
    unsafe { list.set_len((usize::try_from(filled).map_err(io::Error::other)? / each).min(room)) };
    let vnodes = list.iter().filter(|entry| {
        i32::try_from(entry.proc_fdtype).is_ok_and(|kind| kind == libc::PROX_FDTYPE_VNODE)
    });
    Ok(vnodes
        .filter_map(|entry| vnode(number, entry.proc_fd))
        .collect())
}

/// The file behind a descriptor; `None` where it has been closed meanwhile.
fn vnode(pid: libc::c_int, fd: i32) -> Option<Identity> {
    let size = libc::c_int::try_from(size_of::<VnodeOfDescriptor>()).ok()?;
    let mut record = MaybeUninit::<VnodeOfDescriptor>::uninit();
    // SAFETY: the buffer is as long as it is said to be, and of the record of this flavor.
    let filled = unsafe {
        libc::proc_pidfdinfo(
            pid,
            fd,
            PROC_PIDFDVNODEINFO,
            record.as_mut_ptr().cast(),
            size,
        )
    };
    if filled < size {
        return None;
    }
    // SAFETY: all of it was filled, with numbers.
    let vnode = unsafe { record.assume_init() }.vnode.vi_stat;
    Some((u64::from(vnode.vst_dev), vnode.vst_ino))
}

/// Which start of the machine this is.
pub(super) fn boot() -> Option<String> {
    let mut text = [0_u8; 64];
    let mut size = text.len();
    // SAFETY: the name ends with a NUL, the buffer is as long as it is said to be, and nothing is set.
    let answer = unsafe {
        libc::sysctlbyname(
            c"kern.bootsessionuuid".as_ptr(),
            text.as_mut_ptr().cast(),
            &raw mut size,
            std::ptr::null_mut(),
            0,
        )
    };
    let text = text.split(|byte| *byte == 0).next()?;
    let text = str::from_utf8(text).ok()?;
    (answer == 0 && !text.is_empty()).then(|| text.to_owned())
}
