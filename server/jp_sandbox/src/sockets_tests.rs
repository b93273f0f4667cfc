use std::ffi::OsString;

use camino::Utf8PathBuf;
use pretty_assertions::assert_eq;

use super::{listed, named};

#[test]
fn the_table_of_the_kernel_names_files() {
    let table = "\
Num       RefCount Protocol Flags    Type St Inode Path
ffff9b54: 00000002 00000000 00010000 0001 01 21574 /run/user/1000/bus
ffff9b55: 00000003 00000000 00000000 0001 03   575 /run/user/1000/bus
ffff9b56: 00000002 00000000 00010000 0001 01 21576 @/tmp/.X11-unix/X0
ffff9b56: 00000002 00000000 00010000 0001 01 21576 @x /usr/bin/dash
ffff9b57: 00000003 00000000 00000000 0001 03 21577
ffff9b58: 00000002 00000000 00000000 0002 01 21578 /run/a b/ log
ffff9b59: 00000002 00000000 00010000 0001 01 21579 relative /etc/passwd
";
    let (paths, names) = listed(table);
    let paths: Vec<Utf8PathBuf> = paths.into_iter().collect();
    assert_eq!(paths, ["/run/a b/ log", "/run/user/1000/bus"]);
    let names: Vec<&str> = names.into_iter().collect();
    assert_eq!(names, ["relative /etc/passwd"]);
}

#[test]
fn variables_name_files_by_paths_and_by_addresses() {
    let places = named(|name| {
        let value = match name {
            "DBUS_SESSION_BUS_ADDRESS" => {
                "unix:path=/run/user/1000/bus,guid=a1;unix:abstract=/tmp/x"
            }
            "DOCKER_HOST" => "unix:///home/me/.docker/run/docker.sock",
            "CONTAINER_HOST" => "ssh://me@host/run/podman.sock",
            "SSH_AUTH_SOCK" => "/tmp/ssh-x/agent.42",
            "GPG_AGENT_INFO" => "/home/me/.gnupg/S.gpg-agent:0:1",
            "XDG_RUNTIME_DIR" => "/",
            _ => return None,
        };
        Some(OsString::from(value))
    });
    let places: Vec<Utf8PathBuf> = places.into_iter().collect();
    assert_eq!(
        places,
        [
            "/home/me/.docker/run/docker.sock",
            "/home/me/.gnupg/S.gpg-agent:0:1",
            "/run/user/1000/bus",
            "/tmp/ssh-x/agent.42",
        ]
    );
}
