//! Links: the person who sells the buyer listing buys the seller listing.

use chain::state::Link;

use crate::{Read, Result, Write};

/// Whether this link exists.
pub fn link_exists(read: &mut Read<'_>, link: Link) -> Result<bool> {
    read.exists(
        "select 1 from link where buyer_listing_id = $1 and seller_listing_id = $2",
        &[link.buyer.into(), link.seller.into()],
    )
}

pub(crate) fn insert_link(write: &mut Write<'_>, link: Link, now: i64) -> Result<()> {
    write.execute(
        "insert into link (buyer_listing_id, seller_listing_id, created_at) values ($1, $2, $3)",
        &[link.buyer.into(), link.seller.into(), now.into()],
    )?;
    write.execute(
        "update listing set was_linked = 1 where id in ($1, $2) and was_linked = 0",
        &[link.buyer.into(), link.seller.into()],
    )?;
    Ok(())
}

pub(crate) fn delete_link(write: &mut Write<'_>, link: Link) -> Result<()> {
    write.execute(
        "delete from link where buyer_listing_id = $1 and seller_listing_id = $2",
        &[link.buyer.into(), link.seller.into()],
    )?;
    Ok(())
}
