//! Each special range at both its edges, and the forms in which an address can hide.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::{AllowedNetworks, is_public};

fn allowed(texts: &[&str]) -> AllowedNetworks {
    AllowedNetworks::parse(texts.iter().copied()).unwrap()
}

#[track_caller]
fn check(address: &str, expected: bool) {
    let parsed: IpAddr = address.parse().unwrap();
    let is_allowed = AllowedNetworks::default().allows(parsed);
    assert_eq!([is_public(parsed), is_allowed], [expected; 2], "{address}");
}

/// First, last, and the addresses before the first and after the last: `public`, `special` within
/// another range, or `none` where all addresses begin or end.
const RANGES: &str = "\
0.0.0.0 0.255.255.255 none public
10.0.0.0 10.255.255.255 public public
100.64.0.0 100.127.255.255 public public
127.0.0.0 127.255.255.255 public public
168.63.129.16 168.63.129.16 public public
169.254.0.0 169.254.255.255 public public
172.16.0.0 172.31.255.255 public public
192.0.0.0 192.0.0.255 public public
192.0.2.0 192.0.2.255 public public
192.31.196.0 192.31.196.255 public public
192.52.193.0 192.52.193.255 public public
192.88.99.0 192.88.99.255 public public
192.168.0.0 192.168.255.255 public public
192.175.48.0 192.175.48.255 public public
198.18.0.0 198.19.255.255 public public
198.51.100.0 198.51.100.255 public public
203.0.113.0 203.0.113.255 public public
224.0.0.0 239.255.255.255 public special
240.0.0.0 255.255.255.254 special special
255.255.255.255 255.255.255.255 special none
# Unspecified, loopback, IPv4-compatible.
:: :: none special
::1 ::1 special special
::0.0.0.2 ::255.255.255.255 special special
# Mapped and NAT64, judged by what is inside.
::ffff:0.0.0.0 ::ffff:0.255.255.255 special public
::ffff:10.0.0.0 ::ffff:10.255.255.255 public public
::ffff:240.0.0.0 ::ffff:255.255.255.255 special special
64:ff9b::0.0.0.0 64:ff9b::0.255.255.255 special public
64:ff9b::127.0.0.0 64:ff9b::127.255.255.255 public public
64:ff9b::240.0.0.0 64:ff9b::255.255.255.255 special special
# NAT64 of local use, with any length of prefix.
64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff special special
# Discard, and its dummy prefix.
100:: 100::ffff:ffff:ffff:ffff special special
100:0:0:1:: 100:0:0:1:ffff:ffff:ffff:ffff special special
# Below the public range.
200:: 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff special public
# Protocol assignments; then Teredo, benchmarks, ORCHID and its second version in it.
2001:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff public public
2001:: 2001:0:ffff:ffff:ffff:ffff:ffff:ffff public special
2001:2:: 2001:2:0:ffff:ffff:ffff:ffff:ffff special special
2001:10:: 2001:1f:ffff:ffff:ffff:ffff:ffff:ffff special special
2001:20:: 2001:2f:ffff:ffff:ffff:ffff:ffff:ffff special special
2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff public public
2002:: 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff public public
2620:4f:8000:: 2620:4f:8000:ffff:ffff:ffff:ffff:ffff public public
3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff public public
# Above the public range, with segment routing.
4000:: 5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff public special
5f00:: 5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff special special
# Unique local; link-local and site-local; multicast.
fc00:: fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff special special
fe80:: feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff special special
ff00:: ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff special none";

fn ranges() -> impl Iterator<Item = [&'static str; 4]> {
    let rows = RANGES.lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| <[&str; 4]>::try_from(row.split(' ').collect::<Vec<_>>()).unwrap())
}

/// The address so many steps further on, if there is one of the same family.
fn step(address: IpAddr, by: i128) -> Option<IpAddr> {
    match address {
        IpAddr::V4(address) => {
            let moved = u32::try_from(i128::from(address.to_bits()) + by).ok()?;
            Some(Ipv4Addr::from_bits(moved).into())
        }
        IpAddr::V6(address) => {
            let moved = address.to_bits().checked_add_signed(by)?;
            Some(Ipv6Addr::from_bits(moved).into())
        }
    }
}

#[test]
fn every_special_range_is_refused_from_its_first_address_to_its_last() {
    for [first, last, before, after] in ranges() {
        check(first, false);
        check(last, false);
        for (edge, by, neighbour) in [(first, -1, before), (last, 1, after)] {
            let beside = step(edge.parse().unwrap(), by).map(is_public);
            let expected = (neighbour != "none").then_some(neighbour == "public");
            assert_eq!(beside, expected, "beside {edge}");
        }
    }
}

#[test]
fn the_public_internet_is_allowed() {
    let addresses = "1.1.1.1 8.8.8.8 81.2.69.142 172.15.255.255 2a00:1450:4009:81f::200e \
        2606:4700:4700::1111 2000:: 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff ::ffff:8.8.8.8 \
        64:ff9b::8.8.8.8";
    for address in addresses.split(' ') {
        check(address, true);
    }
}

#[test]
fn the_metadata_services_of_clouds_are_refused() {
    let addresses = "169.254.169.254 169.254.170.2 100.100.100.200 168.63.129.16 192.0.0.192 \
        fd00:ec2::254 fd20:ce::254 fe80::a9fe:a9fe 2002:a9fe:a9fe::1";
    for address in addresses.split(' ') {
        check(address, false);
    }
}

#[test]
fn a_listed_network_is_allowed_and_its_neighbours_are_not() {
    let networks = allowed(&["10.1.0.0/16", "fd00:1::/32", " 192.168.7.7 "]);
    for (address, expected) in [
        ("10.0.255.255", false),
        ("10.1.0.0", true),
        ("10.1.255.255", true),
        ("10.2.0.0", false),
        ("::ffff:10.1.2.3", true),
        ("::ffff:10.2.0.0", false),
        // Behind a translator the same number is another machine.
        ("64:ff9b::10.1.2.3", false),
        ("::10.1.2.3", false),
        ("fd00:1::5", true),
        ("fd00:2::", false),
        ("192.168.7.7", true),
        ("192.168.7.8", false),
        ("127.0.0.1", false),
        ("8.8.8.8", true),
    ] {
        let parsed = address.parse().unwrap();
        assert_eq!(networks.allows(parsed), expected, "{address}");
    }
    assert!(allowed(&["::ffff:10.0.0.0/104"]).allows("::ffff:10.1.2.3".parse().unwrap()));
}

#[test]
fn a_wrong_network_is_refused_with_what_would_be_right() {
    let refusal = |text: &str| AllowedNetworks::parse([text]).unwrap_err().to_string();
    for text in ["10.0.0.0/33", "", "localhost"] {
        let right = "write it like 10.1.0.0/16, fd00:1::/32 or 10.1.2.3";
        assert_eq!(refusal(text), format!("`{text}` is no network: {right}"));
    }
    assert_eq!(
        refusal("10.1.0.0/8"),
        "`10.1.0.0/8` is no network, because its address is longer than its prefix: \
         write 10.0.0.0/8 if that is meant",
    );
}

proptest! {
    /// Half of the addresses lie close to the special ranges.
    #[test]
    fn mapped_and_nat64_forms_are_judged_by_what_is_inside(
        bits in any::<u32>(),
        range in 0..20_usize,
        by in -300_i128..300,
        near in any::<bool>(),
    ) {
        let edge = step(ranges().nth(range).unwrap()[0].parse().unwrap(), by);
        let inner = match edge {
            Some(IpAddr::V4(edge)) if near => edge,
            Some(_) | None => Ipv4Addr::from_bits(bits),
        };
        let mapped = inner.to_ipv6_mapped();
        let translated = Ipv6Addr::from_bits((0x64_ff9b_u128 << 96) | u128::from(inner.to_bits()));
        let expected = is_public(inner.into());
        prop_assert_eq!(is_public(mapped.into()), expected);
        prop_assert_eq!(is_public(translated.into()), expected);
        // A listed network counts for the mapped form exactly as for the plain one.
        let networks = allowed(&["10.0.0.0/9", "127.0.0.1"]);
        prop_assert_eq!(networks.allows(mapped.into()), networks.allows(inner.into()));
    }

    #[test]
    fn what_is_public_in_ipv6_is_global_unicast(bits in any::<u128>()) {
        let address = Ipv6Addr::from_bits(bits);
        if is_public(address.into()) {
            prop_assert_eq!(address.segments()[0] >> 13, 1);
            prop_assert_ne!(address.segments()[0], 0x2002);
        }
    }
}
