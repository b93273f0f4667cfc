//! What a file is besides its content, which a replacement of it keeps.
//!
//! ```text
//! owner and group    kept, or the replacement is refused
//! mode               kept; set-user-id and set-group-id are refused
//! attributes         kept, access control lists among them; a capability is refused
//! further names      refused: they would be left with the old content, or change with this one
//! ```
//!
//! A file that would come out as something else is left as it is, with a reason that says what to do.

use std::io;

use cap_std::fs::{File, Metadata};

/// A file that is to be replaced, held open.
#[derive(Debug)]
pub struct Original {
    file: File,
}

impl Original {
    pub(crate) fn new(file: File) -> Self {
        Self { file }
    }

    /// Fails with the reason if the file cannot be replaced without becoming something else.
    ///
    /// # Errors
    ///
    /// `PermissionDenied`, for a read-only file among others.
    pub fn check(&self) -> io::Result<()> {
        let metadata = self.file.metadata()?;
        if metadata.permissions().readonly() {
            return Err(refused("the file is read-only"));
        }
        self.check_kind(&metadata)
    }

    #[cfg(not(unix))]
    fn check_kind(&self, _: &Metadata) -> io::Result<()> {
        Ok(())
    }

    /// Gives the replacement what the original has.
    #[cfg(not(unix))]
    pub(crate) fn carry_over(&self, replacement: &std::fs::File) -> io::Result<()> {
        let original = self.file.try_clone()?.into_std();
        replacement.set_permissions(original.metadata()?.permissions())
    }

    #[cfg(unix)]
    fn check_kind(&self, metadata: &Metadata) -> io::Result<()> {
        use cap_std::fs::MetadataExt as _;

        const SET_ID: u32 = 0o6000;
        if metadata.mode() & SET_ID != 0 {
            return Err(refused(
                "it runs with the rights of its owner or group, which new content must not; take the set-user-id and \
                 set-group-id bits away first",
            ));
        }
        if metadata.nlink() > 1 {
            return Err(refused(&format!(
                "it has {} names (hard links), which would not all get the new content; replace it with a copy of its \
                 own first",
                metadata.nlink()
            )));
        }
        for name in attributes::names(&self.file)? {
            if name == attributes::CAPABILITY {
                return Err(refused(
                    "it runs with capabilities, which new content must not; take them away first",
                ));
            }
        }
        Ok(())
    }

    /// Gives the replacement what the original has.
    ///
    /// # Errors
    ///
    /// `PermissionDenied` with what cannot be kept.
    #[cfg(unix)]
    pub(crate) fn carry_over(&self, replacement: &std::fs::File) -> io::Result<()> {
        use rustix::fs::{Gid, Mode, Uid, fchmod, fchown, fstat};

        let (original, new) = (fstat(&self.file)?, fstat(replacement)?);
        if (original.st_uid, original.st_gid) != (new.st_uid, new.st_gid) {
            let owner = Some(Uid::from_raw(original.st_uid));
            let group = Some(Gid::from_raw(original.st_gid));
            fchown(replacement, owner, group).map_err(|_| {
                refused("it belongs to another user or group, and the replacement would not")
            })?;
        }
        attributes::copy(&self.file, replacement)?;
        fchmod(replacement, Mode::from_raw_mode(original.st_mode & 0o1777))?;
        Ok(())
    }
}

fn refused(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

/// Extended attributes.
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod attributes {
    use std::{ffi::OsString, io, os::unix::ffi::OsStringExt as _};

    use rustix::{
        fd::AsFd,
        fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr},
        io::Errno,
    };

    use super::refused;

    /// Where Linux keeps what a program may do beyond its user.
    pub(super) const CAPABILITY: &str = "security.capability";
    /// Where Linux keeps an access control list, which a new file may inherit.
    const ACCESS: &str = "system.posix_acl_access";
    /// The most that the names, or one value, may take; the kernel allows no more.
    const MAX_BYTES: usize = 64 * 1024;

    /// The names of the attributes; none where the file system has no such thing.
    pub(super) fn names(file: impl AsFd) -> io::Result<Vec<OsString>> {
        let mut names = vec![0; MAX_BYTES];
        let length = match flistxattr(file, &mut names[..]) {
            Ok(length) => length,
            Err(Errno::NOTSUP | Errno::NOSYS) => 0,
            Err(error) => return Err(error.into()),
        };
        names.truncate(length);
        let names = names.split(|byte| *byte == 0);
        Ok(names
            .filter(|name| !name.is_empty())
            .map(|name| OsString::from_vec(name.to_vec()))
            .collect())
    }

    fn value(file: impl AsFd, name: &OsString) -> io::Result<Vec<u8>> {
        let mut value = vec![0; MAX_BYTES];
        let length = fgetxattr(file, name, &mut value[..])?;
        value.truncate(length);
        Ok(value)
    }

    pub(super) fn copy(from: impl AsFd, to: impl AsFd) -> io::Result<()> {
        let (from, to) = (from.as_fd(), to.as_fd());
        let kept = names(from)?;
        for name in &kept {
            let wanted = value(from, name)?;
            if value(to, name).is_ok_and(|found| found == wanted) {
                continue;
            }
            fsetxattr(to, name, &wanted, XattrFlags::empty()).map_err(|_| {
                let name = name.display();
                refused(&format!("its attribute `{name}` cannot be kept"))
            })?;
        }
        if !kept.iter().any(|name| name == ACCESS) && names(to)?.iter().any(|name| name == ACCESS) {
            fremovexattr(to, ACCESS)?;
        }
        Ok(())
    }
}

/// Elsewhere there are none that a copy could lose unseen.
#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
mod attributes {
    use std::{ffi::OsString, io};

    pub(super) const CAPABILITY: &str = "security.capability";

    pub(super) fn names<F>(_: F) -> io::Result<Vec<OsString>> {
        Ok(Vec::new())
    }

    pub(super) fn copy<F, T>(_: F, _: T) -> io::Result<()> {
        Ok(())
    }
}
