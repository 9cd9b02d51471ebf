//! File systems whose changes the operating system does not report: what another machine writes is
//! not seen here.

use std::path::Path;

/// The kind of the file system below `path`, if changes on it are not reported.
#[cfg(target_os = "linux")]
pub(super) fn unreported(path: &Path) -> Option<String> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    kind_of(path, &mounts).filter(|kind| is_unreported(kind)).map(str::to_string)
}

/// The kind of the file system below `path`, if changes on it are not reported.
#[cfg(not(target_os = "linux"))]
pub(super) fn unreported(_: &Path) -> Option<String> {
    None
}

#[cfg(target_os = "linux")]
fn is_unreported(kind: &str) -> bool {
    const KINDS: [&str; 16] = [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "ceph",
        "afs",
        "lustre",
        "glusterfs",
        "virtiofs",
        "vboxsf",
        "drvfs",
        "fuse.sshfs",
        "fuse.rclone",
        "fuse.glusterfs",
    ];
    KINDS.contains(&kind)
}

/// The kind of the last mount above `path`: its mount point is the fifth field, its kind follows a
/// lone dash.
#[cfg(target_os = "linux")]
fn kind_of<'m>(path: &Path, mounts: &'m str) -> Option<&'m str> {
    let mut best: Option<(usize, &str)> = None;
    for line in mounts.lines() {
        let Some((place, source)) = line.split_once(" - ") else { continue };
        let (Some(point), Some(kind)) = (place.split(' ').nth(4), source.split(' ').next()) else { continue };
        let point = point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\");
        if path.starts_with(&point) && best.is_none_or(|(length, _)| length <= point.len()) {
            best = Some((point.len(), kind));
        }
    }
    best.map(|(_, kind)| kind)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_mount_counts() {
        let mounts = "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n\
                      30 22 0:30 / /home rw - nfs4 server:/home rw\n\
                      31 30 0:31 / /home/me/with\\040blank rw master:2 - tmpfs tmpfs rw\n\
                      nonsense\n";
        let kind = |path: &str| kind_of(Path::new(path), mounts);
        assert_eq!(kind("/usr/src"), Some("ext4"));
        assert_eq!(kind("/home/me/code"), Some("nfs4"));
        assert_eq!(kind("/home/me/with blank/code"), Some("tmpfs"));
        assert_eq!(kind("/homes"), Some("ext4"));
        assert!(is_unreported("nfs4") && !is_unreported("ext4"));
        assert_eq!(unreported(Path::new("/proc")), None);
    }
}
