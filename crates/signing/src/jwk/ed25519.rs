//! The checks of an Ed25519 public key.

use super::JwkError;
use crate::base64url;

/// The y coordinates of the eight Ed25519 points of small order, as base64url
/// of their 32 octets, least significant first.
const SMALL_ORDER_Y: [&str; 5] = [
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU",
    "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o",
    "7P_______________________________________38",
];

/// Refuses an encoding that is not canonical (RFC 8032 section 5.1.3) and the points of small
/// order, under which one signature can fit many messages.
pub(super) fn check_point(x: &[u8]) -> Result<(), JwkError> {
    let [low @ .., top] = x else {
        return Err(JwkError::Point);
    };
    if x.len() != 32 {
        return Err(JwkError::Point);
    }
    let y = [low, &[top & 0x7f]].concat();
    // y is canonical below p = 2^255 - 19, which is encoded as ed ff … ff 7f.
    let is_beyond = y[31] == 0x7f && y[1..31].iter().all(|byte| *byte == 0xff) && y[0] >= 0xed;
    if is_beyond || SMALL_ORDER_Y.contains(&base64url::encode(&y).as_str()) {
        return Err(JwkError::Point);
    }
    Ok(())
}
