//! The word in the path (S-64).

use http::Method;

use super::rows::Rows;
use crate::sqlite_story;
use crate::test_server::{Client, send};

const FORM: [(&str, &str); 2] = [("inputType", "uprn"), ("value[]", "1")];

async fn status(asker: &Client, method: Method, path: &str) -> u16 {
    let request = asker.at_base(&method, path).bearer_auth(&asker.token);
    send(request.form(&FORM)).await.status
}

sqlite_story! {
    async fn the_sectors_word_is_accepted_and_others_by_a_setting(server) {
        server.import(Rows::new().sales([1]).lines()).await;
        let asker = server.lender().await;
        for (path, expected) in [("/api/v1/opda/chains", 200), ("/api/v1/sector/chains", 404)] {
            assert_eq!(status(&asker, Method::POST, path).await, expected, "{path}");
        }
        assert_eq!(status(&asker, Method::GET, "/api/v1/opda/chains").await, 405);
        assert_eq!(status(&asker, Method::GET, "/api/v1/opda/addresses?q=1+High+Street").await, 200);
        server = server
            .reconfigure(|config| config.path_segments = ["standard", "sector"].map(String::from).to_vec())
            .await;
        let asker = server.client("asker", &["transaction-status"], &[]).await;
        for (path, expected) in [
            ("/api/v1/standard/chains", 200),
            ("/api/v1/sector/chains", 200),
            ("/api/v1/opda/chains", 404),
        ] {
            assert_eq!(status(&asker, Method::POST, path).await, expected, "{path}");
        }
    }
}
