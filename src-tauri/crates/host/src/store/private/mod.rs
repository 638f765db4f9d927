//! Folders and files that only this user may read, and what the system says about the room there.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
pub(super) use unix::{available, create_dir, create_file, sync_dir};

#[cfg(windows)]
mod windows;
#[cfg(windows)]
pub(super) use windows::{available, create_dir, create_file, sync_dir};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_says_how_much_room_it_has_and_one_that_is_not_there_does_not() {
        let folder = tempfile::tempdir().unwrap();
        assert!(available(folder.path()).is_some());
        assert_eq!(available(&folder.path().join("absent")), None);
    }

    #[test]
    fn a_file_that_exists_is_not_created_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        create_file(&path).unwrap();
        assert_eq!(
            create_file(&path).unwrap_err().kind(),
            std::io::ErrorKind::AlreadyExists
        );
    }
}
