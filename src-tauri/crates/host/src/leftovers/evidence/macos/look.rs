//! Looks into a process through `libproc`, as `<sys/proc_info.h>` lays its records out (macOS 15).
//! Type-checked only; not run by our own CI.

#![allow(unsafe_code, reason = "libproc has no safe wrapper")]

use std::io;
use std::mem::{MaybeUninit, size_of};

use sandtray_core::leftover::evidence::{FileId, How};

const PROC_PIDFDVNODEINFO: libc::c_int = 1;
const PROC_PIDFDSOCKETINFO: libc::c_int = 3;
const PROC_PIDREGIONPATHINFO: libc::c_int = 8;
/// `FWRITE` of `<sys/fcntl.h>`: the descriptor can be written to.
const CAN_WRITE: u32 = 2;
/// `SO_ACCEPTCONN`: the socket takes connections.
const LISTENS: i16 = 2;
/// `SOCKINFO_UN`: the socket has a path.
const UNIX_SOCKET: i32 = 3;
/// `VM_PROT_WRITE`, and the ways of sharing in which what is written reaches the file (`SM_SHARED`,
/// `SM_TRUESHARED`, `SM_SHARED_ALIASED`).
const PROT_WRITE: u32 = 2;
const SHARED: [u32; 3] = [4, 5, 7];

/// `struct proc_fileinfo`: what a descriptor is.
#[repr(C)]
struct Descriptor {
    open_flags: u32,
    status: u32,
    offset: libc::off_t,
    kind: i32,
    guard_flags: u32,
}

/// `struct vnode_fdinfo`.
#[repr(C)]
struct VnodeOfDescriptor {
    descriptor: Descriptor,
    vnode: libc::vnode_info,
}

/// `struct sockbuf_info`.
#[repr(C)]
struct Buffer([u32; 6]);

/// `struct socket_fdinfo` with `struct un_sockinfo` as what follows, which is its largest part.
#[repr(C)]
struct SocketOfDescriptor {
    descriptor: Descriptor,
    stat: libc::vinfo_stat,
    socket: u64,
    control: u64,
    kind_of_socket: i32,
    protocol: i32,
    family: i32,
    options: i16,
    linger: i16,
    state: i16,
    queue: i16,
    incomplete: i16,
    limit: i16,
    timeout: i16,
    error: u16,
    out_of_band: u32,
    received: Buffer,
    sent: Buffer,
    kind: i32,
    reserved: u32,
    connected: u64,
    connected_control: u64,
    /// `sockaddr_un`: its length, its family, its path.
    address: [u8; 255],
    peer: [u8; 255],
    padding: u16,
}

/// `struct proc_regioninfo`.
#[repr(C)]
struct Region {
    protection: u32,
    most_protection: u32,
    inheritance: u32,
    flags: u32,
    offset: u64,
    behavior: u32,
    wired: u32,
    tag: u32,
    resident: u32,
    now_private: u32,
    swapped: u32,
    dirtied: u32,
    references: u32,
    shadow_depth: u32,
    share_mode: u32,
    private_resident: u32,
    shared_resident: u32,
    object: u32,
    depth: u32,
    address: u64,
    size: u64,
}

/// `struct proc_regionwithpathinfo`.
#[repr(C)]
struct RegionOfFile {
    region: Region,
    file: libc::vnode_info_path,
}

/// What one process holds.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) files: Vec<(FileId, How)>,
    /// Names of sockets on which it listens.
    pub(super) listening: Vec<Vec<u8>>,
    /// Something of it could not be seen.
    pub(super) closed: bool,
}

/// Everything a process holds: folders, descriptors, mappings.
pub(super) fn held(pid: u32) -> Held {
    let mut held = Held::default();
    match about::<libc::proc_vnodepathinfo>(pid, libc::PROC_PIDVNODEPATHINFO, 0) {
        Ok(folders) => {
            for folder in [&folders.pvi_cdir, &folders.pvi_rdir] {
                held.files
                    .extend(id(&folder.vip_vi.vi_stat).map(|id| (id, How::Folder)));
            }
        }
        Err(error) => held.closed |= is_denied(&error),
    }
    match descriptors(pid) {
        Ok(descriptors) => {
            for descriptor in descriptors {
                take(pid, &descriptor, &mut held);
            }
        }
        Err(error) => held.closed |= is_denied(&error),
    }
    mappings(pid, &mut held);
    held
}

fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

fn take(pid: u32, descriptor: &libc::proc_fdinfo, held: &mut Held) {
    match i32::try_from(descriptor.proc_fdtype) {
        Ok(libc::PROX_FDTYPE_VNODE) => {
            let seen = of_descriptor::<VnodeOfDescriptor>(pid, descriptor, PROC_PIDFDVNODEINFO);
            if let Some(seen) = seen {
                let how = match seen.descriptor.open_flags & CAN_WRITE {
                    0 => How::Read,
                    _ => How::Write,
                };
                held.files
                    .extend(id(&seen.vnode.vi_stat).map(|id| (id, how)));
            }
        }
        Ok(libc::PROX_FDTYPE_SOCKET) => {
            let seen = of_descriptor::<SocketOfDescriptor>(pid, descriptor, PROC_PIDFDSOCKETINFO);
            if let Some(seen) = seen
                && seen.kind == UNIX_SOCKET
                && seen.options & LISTENS != 0
            {
                let path = seen.address.get(2..).unwrap_or_default();
                held.listening
                    .extend(crate::leftovers::evidence::sockets::name(path).map(<[u8]>::to_vec));
            }
        }
        _ => {}
    }
}

/// The files in a process's memory. A region without a file is passed over; the list ends where the call
/// finds no further one.
fn mappings(pid: u32, held: &mut Held) {
    const MOST: usize = 100_000;
    let mut address = 0_u64;
    for _ in 0..MOST {
        let Ok(seen) = about::<RegionOfFile>(pid, PROC_PIDREGIONPATHINFO, address) else {
            return;
        };
        let region = &seen.region;
        let writes = region.protection & PROT_WRITE != 0 && SHARED.contains(&region.share_mode);
        let how = if writes { How::Write } else { How::Mapped };
        held.files
            .extend(id(&seen.file.vip_vi.vi_stat).map(|id| (id, how)));
        let next = region.address.saturating_add(region.size.max(1));
        if next <= address {
            return;
        }
        address = next;
    }
    held.closed = true;
}

/// A file, as `stat` numbers it; a record without one is all zeros.
fn id(stat: &libc::vinfo_stat) -> Option<FileId> {
    (stat.vst_ino != 0).then(|| FileId {
        device: u64::from(stat.vst_dev),
        inode: stat.vst_ino,
    })
}

/// One record about a process.
fn about<T>(pid: u32, flavor: libc::c_int, argument: u64) -> io::Result<T> {
    let pid = libc::c_int::try_from(pid).map_err(io::Error::other)?;
    let size = libc::c_int::try_from(size_of::<T>()).map_err(io::Error::other)?;
    let mut record = MaybeUninit::<T>::uninit();
    // SAFETY: the buffer is as long as it is said to be, and the callers name the flavor of their record.
    let filled =
        unsafe { libc::proc_pidinfo(pid, flavor, argument, record.as_mut_ptr().cast(), size) };
    if filled < size {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: all of it was filled, with numbers.
    Ok(unsafe { record.assume_init() })
}

/// The descriptors of a process.
fn descriptors(pid: u32) -> io::Result<Vec<libc::proc_fdinfo>> {
    let pid = libc::c_int::try_from(pid).map_err(io::Error::other)?;
    let each = size_of::<libc::proc_fdinfo>();
    // SAFETY: without a buffer the call only says how many bytes it needs.
    let needed =
        unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDLISTFDS, 0, std::ptr::null_mut(), 0) };
    if needed <= 0 {
        return Err(io::Error::last_os_error());
    }
    let room = usize::try_from(needed).map_err(io::Error::other)? / each + 64;
    let mut list: Vec<libc::proc_fdinfo> = Vec::with_capacity(room);
    let size = libc::c_int::try_from(room * each).map_err(io::Error::other)?;
    // SAFETY: the buffer is as long as it is said to be.
    let filled = unsafe {
        libc::proc_pidinfo(
            pid,
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
    Ok(list)
}

/// One record about a descriptor; none where it has been closed meanwhile.
fn of_descriptor<T>(pid: u32, of: &libc::proc_fdinfo, flavor: libc::c_int) -> Option<T> {
    let pid = libc::c_int::try_from(pid).ok()?;
    let size = libc::c_int::try_from(size_of::<T>()).ok()?;
    let mut record = MaybeUninit::<T>::uninit();
    // SAFETY: the buffer is as long as it is said to be, and the callers name the flavor of their record.
    let filled =
        unsafe { libc::proc_pidfdinfo(pid, of.proc_fd, flavor, record.as_mut_ptr().cast(), size) };
    if filled < size {
        return None;
    }
    // SAFETY: all of it was filled, with numbers.
    Some(unsafe { record.assume_init() })
}

/// Where filesystems are mounted.
pub(super) fn mount_points() -> io::Result<Vec<Vec<u8>>> {
    // SAFETY: without a buffer the call only says how many there are.
    let many = unsafe { libc::getfsstat(std::ptr::null_mut(), 0, libc::MNT_NOWAIT) };
    let room = usize::try_from(many).map_err(|_| io::Error::last_os_error())? + 16;
    let mut list: Vec<libc::statfs> = Vec::with_capacity(room);
    let size = libc::c_int::try_from(room * size_of::<libc::statfs>()).map_err(io::Error::other)?;
    // SAFETY: the buffer is as long as it is said to be; nothing is waited for.
    let filled = unsafe { libc::getfsstat(list.as_mut_ptr(), size, libc::MNT_NOWAIT) };
    let filled = usize::try_from(filled).map_err(|_| io::Error::last_os_error())?;
    // SAFETY: so many records were filled; it cannot be more than there was room for.
    unsafe { list.set_len(filled.min(room)) };
    Ok(list
        .iter()
        .map(|mount| {
            let bytes = mount.f_mntonname.iter().map(|byte| byte.to_ne_bytes()[0]);
            bytes.take_while(|byte| *byte != 0).collect()
        })
        .collect())
}

/// When the machine was started, in seconds since 1970.
pub(super) fn boot() -> Option<i64> {
    let mut time = libc::timeval {
        tv_sec: 0,
        tv_usec: 0,
    };
    let mut size = size_of::<libc::timeval>();
    // SAFETY: the name ends with a NUL, the place is as long as it is said to be, and nothing is set.
    let answer = unsafe {
        libc::sysctlbyname(
            c"kern.boottime".as_ptr(),
            (&raw mut time).cast(),
            &raw mut size,
            std::ptr::null_mut(),
            0,
        )
    };
    (answer == 0 && time.tv_sec > 0).then_some(time.tv_sec)
}
