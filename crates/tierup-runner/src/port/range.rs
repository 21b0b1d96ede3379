//! The ports for servers. They lie outside the range from which the system takes the source ports of clients. In that
//! range, a port may become the source of a connection before its server listens. A client that connects to a port
//! without a listener may even get it as its source: then it is connected to itself, and reads what it wrote.

use std::ops::RangeInclusive;

/// Well-known servers, which may start later, use the ports below.
const LOWEST: u16 = 20_000;
/// A smaller range would soon be used up.
const ENOUGH: usize = 2_000;
/// The range of clients' ports by RFC 6335, which all systems except Linux follow.
#[cfg(any(not(target_os = "linux"), test))]
const DYNAMIC: RangeInclusive<u16> = 49_152..=65_535;

/// The range for servers. If the system's clients may use nearly all ports, servers share them.
pub(super) fn of_servers() -> RangeInclusive<u16> {
    beside(&of_clients())
}

fn beside(clients: &RangeInclusive<u16>) -> RangeInclusive<u16> {
    let below = LOWEST..=clients.start().saturating_sub(1);
    let above = clients.end().saturating_add(1).max(LOWEST)..=u16::MAX;
    [below, above].into_iter().find(|range| range.len() >= ENOUGH).unwrap_or(LOWEST..=u16::MAX)
}

#[cfg(target_os = "linux")]
fn of_clients() -> RangeInclusive<u16> {
    let set = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    // This is Linux's default.
    parse(&set).unwrap_or(32_768..=60_999)
}

#[cfg(not(target_os = "linux"))]
fn of_clients() -> RangeInclusive<u16> {
    DYNAMIC
}

#[cfg(any(target_os = "linux", test))]
fn parse(set: &str) -> Option<RangeInclusive<u16>> {
    let mut ends = set.split_ascii_whitespace().map_while(|end| end.parse().ok());
    Some(ends.next()?..=ends.next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_have_other_ports_than_clients() {
        for (set, expected) in [
            ("32768\t60999\n", 20_000..=32_767),
            ("49152 65535", 20_000..=49_151),
            ("1024 60999", 61_000..=65_535),
            ("10000 18000", 20_000..=65_535),
            ("1024 65535", 20_000..=65_535),
            ("1 65000", 20_000..=65_535),
        ] {
            assert_eq!(beside(&parse(set).unwrap()), expected, "{set}");
        }
        assert_eq!(beside(&DYNAMIC), 20_000..=49_151);
        assert_eq!((parse(""), parse("1024"), parse("a b")), (None, None, None));
    }
}
