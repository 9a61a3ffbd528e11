//! Detects RSA moduli of the faulty Infineon generator (CVE-2017-15361).
//!
//! Nemec, Sys, Svenda, Klinec and Matyas, "The Return of Coppersmith's Attack",
//! CCS 2017: the generator's primes are `k * M + (65537^a mod M)`, where `M` is
//! the product of the first small primes. So its moduli are powers of 65537
//! modulo `M`. About one in 2^150 other moduli is such a power by chance.

/// The odd primes that divide `M` for every key size of the generator.
const PRIMES: [u32; 38] = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
];

const GENERATOR: u32 = 65_537;

/// Whether `modulus` (big-endian) is a power of 65537 modulo the product of
/// the small primes.
pub(super) fn is_weak(modulus: &[u8]) -> bool {
    let mut logarithms: Vec<Logarithm> = Vec::with_capacity(PRIMES.len());
    for prime in PRIMES {
        let Some(logarithm) = Logarithm::of(remainder(modulus, prime), prime) else {
            return false;
        };
        // By the Chinese remainder theorem, one exponent fits all primes if and only if each two
        // agree modulo the greatest common divisor of their orders.
        if !logarithms.iter().all(|other| other.agrees(&logarithm)) {
            return false;
        }
        logarithms.push(logarithm);
    }
    true
}

/// An exponent of the generator modulo one prime. Exponents that differ by `order` are equal.
struct Logarithm {
    exponent: u32,
    order: u32,
}

impl Logarithm {
    /// Tries all powers, because `prime` is small. `None` if `value` is not a power of the
    /// generator modulo `prime`.
    fn of(value: u32, prime: u32) -> Option<Self> {
        let generator = GENERATOR % prime;
        let mut exponent = None;
        let mut power = 1;
        let mut order = 0;
        while order == 0 || power != 1 {
            if power == value {
                exponent = Some(order);
            }
            power = power * generator % prime;
            order += 1;
        }
        exponent.map(|exponent| Self { exponent, order })
    }

    fn agrees(&self, other: &Self) -> bool {
        let shared = greatest_common_divisor(self.order, other.order);
        self.exponent % shared == other.exponent % shared
    }
}

fn remainder(modulus: &[u8], prime: u32) -> u32 {
    modulus
        .iter()
        .fold(0, |rest, byte| (rest * 256 + u32::from(*byte)) % prime)
}

fn greatest_common_divisor(left: u32, right: u32) -> u32 {
    if right == 0 {
        left
    } else {
        greatest_common_divisor(right, left % right)
    }
}
