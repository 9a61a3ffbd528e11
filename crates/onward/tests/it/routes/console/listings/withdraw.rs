//! `POST /listings/{listing}/withdraw`.

use crate::story;

story! {
    async fn a_sale_is_withdrawn_once_it_has_no_link(server) {
        let (_agent, ids, mut kim) = server.progressor_with_sales([1, 2, 3], &[(2, 1)]).await;
        let linked = kim.post(&format!("/listings/{}/withdraw", ids[0]), &[]).await;
        assert_eq!(linked.status, 409, "{}", linked.location);
        let alone = format!("/listings/{}", ids[2]);
        let withdrawn = kim.post(&format!("{alone}/withdraw"), &[]).await;
        assert_eq!(withdrawn.location, "/chains?done=withdrawn");
        assert_eq!(kim.get(&alone).await.status, 404);
    }
}
