//! The spellings of documents 1 and 2: tenures, transaction types, events, reasons, sides.

use chain::ends::{CHECK_REASON, End, UncheckReason};
use chain::event::EventType;
use chain::link::Side;
use chain::listing::{Tenure, TransactionType};
use chain::state::ChainType;

#[test]
fn tenures() {
    let spelled = Tenure::ALL.map(Tenure::as_str);
    assert_eq!(
        spelled,
        ["freehold", "leasehold", "commonhold", "shareoffreehold"]
    );
    assert_eq!(spelled.map(Tenure::parse), Tenure::ALL.map(Some));
    for text in ["", "Freehold", "share_of_freehold", " freehold"] {
        assert_eq!(Tenure::parse(text), None, "{text:?}");
    }
}

#[test]
fn transaction_types() {
    let spelled = TransactionType::ALL.map(TransactionType::as_str);
    assert_eq!(
        spelled,
        [
            "auction",
            "buy_to_let",
            "freehold_enfranchisement",
            "power_of_attorney",
            "probate",
            "repossession",
            "shared_ownership",
        ]
    );
    let read = spelled.map(TransactionType::parse);
    assert_eq!(read, TransactionType::ALL.map(Some));
    for text in ["", "Auction", "buy to let", "standard"] {
        assert_eq!(TransactionType::parse(text), None, "{text:?}");
    }
}

#[test]
fn event_types() {
    let spelled = EventType::ALL.map(EventType::as_str);
    assert_eq!(spelled, ["milestone.updated", "fallthrough"]);
    assert_eq!(spelled.map(EventType::parse), EventType::ALL.map(Some));
    for text in ["", "fall_through", "milestone.created", "Fallthrough"] {
        assert_eq!(EventType::parse(text), None, "{text:?}");
    }
}

#[test]
fn reasons() {
    assert_eq!(CHECK_REASON, "Checked");
    let spelled = UncheckReason::ALL.map(UncheckReason::as_str);
    assert_eq!(spelled, ["Unspecified", "Not EOC", "Dont Know If EOC"]);
    let read = spelled.map(UncheckReason::parse);
    assert_eq!(read, UncheckReason::ALL.map(Some));
    for text in ["", "Checked", "not eoc", "Don't Know If EOC"] {
        assert_eq!(UncheckReason::parse(text), None, "{text:?}");
    }
}

#[test]
fn ends_sides_and_chain_types() {
    assert_eq!([End::Top, End::Bottom].map(End::as_str), ["top", "bottom"]);
    let sides = [Side::Seller, Side::Buyer].map(Side::as_str);
    assert_eq!(sides, ["seller", "buyer"]);
    let types = [
        ChainType::InChain,
        ChainType::SplitChain,
        ChainType::NotInChain,
    ];
    assert_eq!(
        types.map(ChainType::as_str),
        ["IN_CHAIN", "SPLIT_CHAIN", "NOT_IN_CHAIN"]
    );
}
