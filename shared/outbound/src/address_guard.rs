//! SSRF protection: outbound requests may reach only public addresses and those that the operator allows.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use domain::{Error, Result};
use platform::config::{Config, OUTBOUND_ALLOWED_CIDRS, OUTBOUND_REFUSED_PORTS};

/// IPv4 ranges that are blocked: the IANA registry of special-purpose addresses, multicast, and the address of Azure's
/// host services.
const CLOSED_V4: [(Ipv4Addr, u8); 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// IPv6 is allowed only in the global unicast range, without `CLOSED_V6`.
const GLOBAL_V6: (Ipv6Addr, u8) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
const CLOSED_V6: [(Ipv6Addr, u8); 3] = [
    // IETF protocol assignments: Teredo, benchmarking, ORCHID.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

#[derive(Clone, Debug, Default)]
pub struct AddressGuard {
    allowed: Vec<Cidr>,
    /// Ports of this machine that are always blocked.
    refused_ports: Vec<u16>,
}

#[derive(Clone, Copy, Debug)]
struct Cidr {
    network: IpAddr,
    prefix: u8,
}

impl AddressGuard {
    pub fn from_config(config: &Config) -> Result<Self> {
        let ports = config.list(OUTBOUND_REFUSED_PORTS);
        let ports = ports.iter().map(|port| port.parse()).collect::<Result<_, _>>().map_err(Error::internal)?;
        Ok(Self::allowing(config.list(OUTBOUND_ALLOWED_CIDRS))?.refusing_ports(ports))
    }

    /// Blocks these ports of this machine even if its address is allowed. They belong to the platform, which trusts
    /// callers on them.
    #[must_use]
    pub fn refusing_ports(self, refused_ports: Vec<u16>) -> Self {
        Self { refused_ports, ..self }
    }

    /// Allows additional addresses or CIDR ranges, such as `10.1.0.0/16` or `fd00::1`.
    pub fn allowing(allowed: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self> {
        let read = |text: &str| {
            let wrong = || Error::internal(format!("{OUTBOUND_ALLOWED_CIDRS}: {text} is not an address or CIDR"));
            Cidr::read(text).ok_or_else(wrong)
        };
        let allowed = allowed.into_iter().map(|cidr| read(cidr.as_ref())).collect::<Result<_>>()?;
        Ok(Self { allowed, refused_ports: Vec::new() })
    }

    pub fn permits(&self, socket: SocketAddr) -> bool {
        let address = socket.ip().to_canonical();
        // The unspecified address also reaches this machine.
        let is_this_machine = address.is_loopback() || address.is_unspecified();
        self.permits_address(address) && !(is_this_machine && self.refused_ports.contains(&socket.port()))
    }

    fn permits_address(&self, address: IpAddr) -> bool {
        // `::ffff:10.0.0.1` reaches 10.0.0.1, so it is checked as an IPv4 address.
        let address = address.to_canonical();
        let is_public = match address {
            IpAddr::V4(v4) => is_public_v4(v4),
            IpAddr::V6(v6) => is_public_v6(v6),
        };
        is_public || self.allowed.iter().any(|cidr| cidr.contains(address))
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !CLOSED_V4.iter().any(|(network, prefix)| is_in_v4(address, *network, *prefix))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // NAT64 and 6to4 addresses reach the IPv4 address that they contain.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => is_public_v4(v4_of(high, low)),
        // An ISATAP address contains the IPv4 address of its interface.
        [.., 0x0 | 0x200, 0x5efe, high, low] if !is_public_v4(v4_of(high, low)) => false,
        _ => {
            is_in_v6(address, GLOBAL_V6.0, GLOBAL_V6.1)
                && !CLOSED_V6.iter().any(|(network, prefix)| is_in_v6(address, *network, *prefix))
        }
    }
}

fn v4_of(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}

fn is_in_v4(address: Ipv4Addr, network: Ipv4Addr, prefix: u8) -> bool {
    let differing = u32::from(address) ^ u32::from(network);
    differing.checked_shr(32 - u32::from(prefix)).unwrap_or_default() == 0
}

fn is_in_v6(address: Ipv6Addr, network: Ipv6Addr, prefix: u8) -> bool {
    let differing = u128::from(address) ^ u128::from(network);
    differing.checked_shr(128 - u32::from(prefix)).unwrap_or_default() == 0
}

impl Cidr {
    fn read(text: &str) -> Option<Self> {
        let (network, prefix) = text.split_once('/').map_or((text, None), |(network, prefix)| (network, Some(prefix)));
        let network: IpAddr = network.trim().parse().ok()?;
        let longest = if network.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Some(longest), |prefix| prefix.trim().parse().ok())?;
        (prefix <= longest).then_some(Self { network, prefix })
    }

    fn contains(self, address: IpAddr) -> bool {
        match (address, self.network) {
            (IpAddr::V4(address), IpAddr::V4(network)) => is_in_v4(address, network, self.prefix),
            (IpAddr::V6(address), IpAddr::V6(network)) => is_in_v6(address, network, self.prefix),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permitted(guard: &AddressGuard, address: &str) -> bool {
        guard.permits_address(address.parse().unwrap())
    }

    #[test]
    fn public_addresses_are_allowed() {
        for address in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
        {
            assert!(permitted(&AddressGuard::default(), address), "{address}");
        }
    }

    #[test]
    fn internal_addresses_are_blocked_in_every_notation() {
        let inside = [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.255.255.254",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "198.19.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a00:1",
            "64:ff9b:1::808:808",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2001::1",
            "2001:db8::1",
            "2606:4700::5efe:a00:1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
        ];
        for address in inside {
            assert!(!permitted(&AddressGuard::default(), address), "{address}");
        }
    }

    #[test]
    fn only_the_ranges_of_the_operator_are_allowed_in_addition() {
        let guard = AddressGuard::allowing(["10.1.0.0/16", "127.0.0.1", "fd00:1::/32"]).unwrap();
        for address in ["10.1.2.3", "127.0.0.1", "::ffff:10.1.2.3", "fd00:1::9"] {
            assert!(permitted(&guard, address), "{address}");
        }
        for address in ["10.2.0.1", "127.0.0.2", "fd00:2::1", "169.254.169.254", "2002:a01:1::1"] {
            assert!(!permitted(&guard, address), "{address}");
        }
        assert!(permitted(&AddressGuard::allowing(["0.0.0.0/0"]).unwrap(), "10.0.0.1"));
    }

    #[test]
    fn invalid_cidrs_are_refused() {
        for wrong in ["10.0.0.0/33", "localhost", "10.0.0.0/x", "/8"] {
            assert!(AddressGuard::allowing([wrong]).is_err(), "{wrong}");
        }
    }
}
