//! What the database says, as a [`Failure`] whose cause the history can act on.

use std::io;
use std::path::Path;

use rusqlite::{Error, ErrorCode};

use crate::error::{Cause, Failure};

/// A failed operation on the database at `path`.
///
/// A cause is *corrupt* where the content contradicts itself: that file is set aside. Everything else
/// (full, read-only, locked, a failing disk) may pass: the history goes on in memory and tries again.
pub(super) fn refused(operation: &'static str, path: &Path) -> impl Fn(Error) -> Failure {
    move |error| Failure::new(operation, path, cause(&error))
}

fn cause(error: &Error) -> Cause {
    let text = error.to_string();
    match error {
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::QueryReturnedNoRows
        | Error::Utf8Error(..) => Cause::Corrupt(text),
        _ => match error.sqlite_error_code() {
            // Our statements are fixed: one that the schema refuses means that the schema is wrong.
            Some(
                ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::ConstraintViolation
                | ErrorCode::TypeMismatch
                | ErrorCode::Unknown,
            ) => Cause::Corrupt(text),
            Some(ErrorCode::DiskFull) => {
                Cause::Io(io::Error::new(io::ErrorKind::StorageFull, text))
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                Cause::Io(io::Error::new(io::ErrorKind::PermissionDenied, text))
            }
            _ => Cause::Io(io::Error::other(text)),
        },
    }
}

/// Whether the failure says that the content is wrong.
pub(super) fn is_corrupt(failure: &Failure) -> bool {
    matches!(failure.cause, Cause::Corrupt(_))
}
