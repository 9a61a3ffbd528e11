//! `/method`: how the console decides.

use crate::forecasts::learn_from_past_sales;
use crate::story;

story! {
    async fn everybody_reads_how_the_console_decides(server) {
        let page = server.browser().get("/method").await;
        assert_eq!(page.status, 200);
        page.assert_shows("Numbers are those of 21 Nov 2026.");
        page.assert_shows("Enquiries Closed seller’s conveyancer too few sales");
        page.assert_shows("There are no forecasts now. Only 0 forecasts ended so far; 100 are needed");
        page.assert_hides("Reliability");
        let mut lee = server.sign_in_as("lender", &[]).await;
        assert_eq!(lee.get("/method").await.status, 200);
    }
}

story! {
    async fn the_numbers_are_of_the_last_pass(server) {
        learn_from_past_sales(&server).await;
        let page = server.browser().get("/method").await;
        let text = page.text();
        let step = "Water Search Delivered search provider, through the buyer’s conveyancer ";
        let numbers = text.split(step).nth(1).unwrap();
        assert!(numbers.starts_with(|first: char| first.is_ascii_digit()), "{numbers}");
        page.assert_shows("Reliability");
        page.assert_shows("121 and more");
        page.assert_hides("too few sales");
    }
}
