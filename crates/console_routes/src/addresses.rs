//! Addresses in the parts that pages show.

use console::home::Address;
use storage::properties;
use storage::state::ListingState;

/// A stored address.
pub(crate) fn to_address(address: &properties::Address) -> Address {
    Address {
        lines: [
            address.line1.clone(),
            address.line2.clone(),
            address.line3.clone(),
            address.line4.clone(),
        ],
        post_town: address.post_town.clone(),
        postcode: address.postcode.clone(),
    }
}

/// The short name of a listing's home.
pub(crate) fn home_name(listing: &ListingState) -> String {
    to_address(&listing.address).name()
}
