//! Document 1's canonical `data` object of a sample chain, as the service signs it.

use chain::ids::Uprn;
use chain::milestone::Field;
use chain::progress::Progress;
use console::chain_page::ChainPage;
use console::home::Home;
use jiff::civil::Date;

/// Bottom to top, within a layer in the order of the listing ids.
pub(crate) fn document(page: &ChainPage) -> String {
    let mut homes = Vec::new();
    for layer in page.layers.iter().rev() {
        let mut layer: Vec<_> = layer.iter().collect();
        layer.sort_by_key(|home| home.listing);
        homes.extend(layer);
    }
    let length = homes.len();
    let kind = match page.layers.iter().any(|layer| layer.len() > 1) {
        _ if length == 1 => "NOT_IN_CHAIN",
        true => "SPLIT_CHAIN",
        false => "IN_CHAIN",
    };
    let address = homes[0].address.name();
    let properties: Vec<_> = homes.into_iter().map(property).collect();
    format!(
        r#"{{"data":[{{"chainId":"{}","chainSummary":{{"chainLength":{length},"chainType":"{kind}"}},"properties":[{}],"queriedAddress":"{address}"}}],"pagination":{{"currentPage":1,"lastPage":1,"perPage":15,"total":1}}}}"#,
        page.chain,
        properties.join(","),
    )
}

fn property(home: &Home) -> String {
    let [line1, line2, line3, line4] = &home.address.lines;
    let (town, postcode) = (&home.address.post_town, &home.address.postcode);
    let parties = &home.participants;
    let types = home.transaction_types.iter();
    let types: Vec<_> = types.map(|one| format!(r#""{}""#, one.as_str())).collect();
    format!(
        r#"{{"address":{{"displayAddress":"{line1}, {town}, {postcode}","line1":"{line1}","line2":"{line2}","line3":"{line3}","line4":"{line4}","postTown":"{town}","postcode":"{postcode}"}},"connections":{{"buyersSale":[{}],"onwardPurchase":[{}]}},"id":{},"isBottomClosed":{},"isTopClosed":{},"milestones":{},"participants":{{"buyerConveyancer":"{}","sellerConveyancer":"{}","sellingAgent":"{}"}},"tenure":"{}","transactionType":[{}],"uprn":{}}}"#,
        numbers(&home.buyers_sale),
        numbers(&home.onward_purchase),
        home.listing,
        home.is_bottom_closed,
        home.is_top_closed,
        milestones(&home.progress),
        parties.buyer_conveyancer,
        parties.seller_conveyancer,
        parties.selling_agent,
        home.tenure.map_or("", chain::listing::Tenure::as_str),
        types.join(","),
        home.uprn,
    )
}

fn milestones(dates: &Progress) -> String {
    let fall_through = dates
        .date(Field::FallThroughCompleted)
        .map_or_else(String::new, |date| {
            format!(r#""fallThrough":{{"completed":{}}},"#, day(Some(date)))
        });
    format!(
        r#"{{"completion":{{"completed":{},"expected":{}}},"enquiries":{{"completed":{},"started":{}}},"exchangeOfContracts":{{"completed":{},"expected":{}}},{fall_through}"funding":{{"completed":{},"isCashBuyer":{},"started":{}}},"listed":{{"completed":{}}},"searches":{{"drainageWater":{{"completed":{}}},"environmental":{{"completed":{}}},"localAuthority":{{"completed":{},"expected":{}}},"started":{}}},"soldSubjectToContract":{{"completed":{}}}}}"#,
        day(dates.date(Field::CompletionCompleted)),
        day(dates.date(Field::CompletionExpected)),
        day(dates.date(Field::EnquiriesCompleted)),
        day(dates.date(Field::EnquiriesStarted)),
        day(dates.date(Field::ExchangeOfContractsCompleted)),
        day(dates.date(Field::ExchangeOfContractsExpected)),
        day(dates.date(Field::FundingCompleted)),
        dates.is_cash_buyer(),
        day(dates.date(Field::FundingStarted)),
        day(dates.date(Field::ListedCompleted)),
        day(dates.date(Field::DrainageWaterCompleted)),
        day(dates.date(Field::EnvironmentalCompleted)),
        day(dates.date(Field::LocalAuthorityCompleted)),
        day(dates.date(Field::LocalAuthorityExpected)),
        day(dates.date(Field::SearchesStarted)),
        day(dates.date(Field::SoldSubjectToContractCompleted)),
    )
}

fn day(date: Option<Date>) -> String {
    date.map_or_else(|| "null".to_owned(), |date| format!(r#""{date}""#))
}

fn numbers(uprns: &[Uprn]) -> String {
    let numbers: Vec<_> = uprns.iter().map(Uprn::to_string).collect();
    numbers.join(",")
}
