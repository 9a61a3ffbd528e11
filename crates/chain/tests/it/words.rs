//! The words of documents 1 and 2: how values are spelled and read.

use chain::ends::{CHECK_REASON, End, UncheckReason};
use chain::event::EventType;
use chain::link::Side;
use chain::listing::{Tenure, TransactionType};
use chain::state::ChainType;

#[test]
fn words_are_read_as_they_are_spelled() {
    let words = Tenure::ALL.map(Tenure::as_str);
    assert_eq!(
        words.join(" "),
        "freehold leasehold commonhold shareoffreehold"
    );
    assert_eq!(words.map(Tenure::parse), Tenure::ALL.map(Some));
    let others = ["", "Freehold", "share_of_freehold", " freehold"];
    assert_eq!(others.map(Tenure::parse), [None; 4]);

    let words = TransactionType::ALL.map(TransactionType::as_str);
    let expected = "auction buy_to_let freehold_enfranchisement power_of_attorney probate \
                    repossession shared_ownership";
    assert_eq!(words.join(" "), expected);
    let read = words.map(TransactionType::parse);
    assert_eq!(read, TransactionType::ALL.map(Some));
    let others = ["", "Auction", "buy to let", "standard"];
    assert_eq!(others.map(TransactionType::parse), [None; 4]);

    let words = EventType::ALL.map(EventType::as_str);
    assert_eq!(words, ["milestone.updated", "fallthrough", "chain.changed"]);
    assert_eq!(words.map(EventType::parse), EventType::ALL.map(Some));
    let others = ["", "fall_through", "milestone.created", "Fallthrough"];
    assert_eq!(others.map(EventType::parse), [None; 4]);

    let words = UncheckReason::ALL.map(UncheckReason::as_str);
    assert_eq!(words, ["Unspecified", "Not EOC", "Dont Know If EOC"]);
    assert_eq!(
        words.map(UncheckReason::parse),
        UncheckReason::ALL.map(Some)
    );
    let others = ["", "Checked", "not eoc", "Don't Know If EOC"];
    assert_eq!(others.map(UncheckReason::parse), [None; 4]);
}

#[test]
fn words_that_are_only_written() {
    use ChainType::{InChain, NotInChain, SplitChain};
    assert_eq!(CHECK_REASON, "Checked");
    assert_eq!([End::Top, End::Bottom].map(End::as_str), ["top", "bottom"]);
    let sides = [Side::Seller, Side::Buyer].map(Side::as_str);
    assert_eq!(sides, ["seller", "buyer"]);
    let types = [InChain, SplitChain, NotInChain].map(ChainType::as_str);
    assert_eq!(types, ["IN_CHAIN", "SPLIT_CHAIN", "NOT_IN_CHAIN"]);
}
