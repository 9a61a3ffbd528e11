//! `verify`: where the answer and the keys come from.

use std::fs::File;

use serde_json::Value;

use super::program::{Program, command, run, run_well};
use super::sandbox::Sandbox;
use crate::query::versions::SCOPES;
use crate::sqlite_story;
use crate::test_server::client_trusting;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_set_is_read_from_an_address_or_a_file() {
    let sandbox = Sandbox::new();
    let program = tokio::task::block_in_place(|| sandbox.start());
    let file = sandbox.read();
    let text = |name: &str| file[name].as_str().unwrap().to_owned();
    let (jwks_url, ca) = (text("jwks_url"), text("ca_file"));
    let http = client_trusting(sandbox.directory().as_ref(), None);
    let published = http.get(&jwks_url).send().await.unwrap();
    let saved_keys = sandbox.file("keys.json");
    std::fs::write(&saved_keys, published.bytes().await.unwrap()).unwrap();
    drop(http);

    tokio::task::block_in_place(|| {
        let answer = sandbox.file("answer.json");
        let uprn = file["samples"]["uprn_in_chain"].to_string();
        let query = ["query", "--sandbox", sandbox.directory(), "--uprn", &uprn];
        run_well(&[&query[..], &["--output", &answer]].concat());
        let verify = ["verify", &answer];
        for keys in [
            &["--jwks", &jwks_url, "--ca", &ca][..],
            &["--jwks-url", &jwks_url, "--ca", &ca],
            &["--jwks", &saved_keys],
        ] {
            let verified = run_well(&[&verify[..], keys].concat());
            assert!(verified.contains("signature verified: key "), "{verified}");
        }
        let mut piped = command(&["verify", "-", "--jwks", &saved_keys, "--json"]);
        let piped = Program::spawn(piped.stdin(File::open(&answer).unwrap())).wait();
        assert!(piped.out.contains("\"verified\":true"), "{piped:?}");
        for (keys, said) in [
            (&["--jwks", &jwks_url][..], "pass --ca FILE, or --ca system"),
            (&["--jwks", &answer], "is not a JWK set: not a key set"),
            (&["--jwks", "none.json"], "cannot read none.json"),
        ] {
            let refused = run(&[&verify[..], keys].concat());
            assert!(refused.failure().contains(said), "{refused:?}");
        }
    });
    program.signal("TERM");
    let finished = tokio::task::block_in_place(|| program.wait());
    assert_eq!(finished.status, Some(0));
}

sqlite_story! {
    async fn a_version_of_a_chain_verifies(server) {
        let agent = server.agent("north").await;
        let (below, above) = (agent.list(1).await, agent.list(2).await);
        let chains = [agent.chain_of(below).await, agent.chain_of(above).await];
        agent.link(below, above).await;
        let kept = agent.chain_of(below).await;
        let gone = chains.iter().find(|chain| **chain != kept).unwrap();
        let alone = agent.list(3).await;
        let emptied = agent.chain_of(alone).await;
        assert_eq!(agent.delete(&format!("/listing/{alone}")).await.status, 200);
        let auditor = server.client("auditor", &SCOPES, &[]).await;
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| {
            let file = folder.path().join(name);
            std::fs::write(&file, text).unwrap();
            file.to_str().unwrap().to_owned()
        };
        let keys = write("keys.json", &server.jwks().await);
        for (chain, state) in [
            (&kept, "length 2".to_owned()),
            (gone, format!("all sales moved into chain {kept}")),
            (&emptied, "no sales".to_owned()),
        ] {
            let (last, recorded_at) = auditor.wait_for_version(chain, 2).await.pop().unwrap();
            let answer = auditor.read_below(&format!("{chain}/versions/{last}")).await;
            let saved = write("version.json", &answer.body);
            let forged = String::from_utf8(answer.body).unwrap();
            let forged = forged.replace(&format!("\"version\":{last}"), "\"version\":9");
            let forged = write("forged.json", forged.as_bytes());
            tokio::task::block_in_place(|| {
                let said = run_well(&["verify", &saved, "--jwks", &keys]);
                let first = format!("Version {last} of chain {chain}, recorded at {recorded_at}: {state}\n");
                assert!(said.starts_with(&first) && said.contains("signature verified: key "), "{said}");
                let said = run_well(&["verify", &saved, "--jwks", &keys, "--json"]);
                let said: Value = serde_json::from_str(&said).unwrap();
                assert_eq!((&said["verified"], &said["chainId"]), (&true.into(), &chain.as_str().into()));
                assert_eq!((&said["version"], &said["asOf"]), (&last.into(), &recorded_at.as_str().into()));
                let refused = run(&["verify", &forged, "--jwks", &keys]);
                assert!(refused.failure().contains("does NOT verify"), "{refused:?}");
            });
        }
    }
}

#[test]
fn an_answer_needs_a_bounded_length_and_a_key_set() {
    let folder = tempfile::tempdir().unwrap();
    let too_long = folder.path().join("answer.json");
    let limit = u64::try_from(client::connection::BODY_LIMIT_BYTES).unwrap();
    File::create(&too_long).unwrap().set_len(limit + 1).unwrap();
    let mut piped = command(&["verify", "-"]);
    piped.current_dir(folder.path());
    let piped = Program::spawn(piped.stdin(File::open(&too_long).unwrap())).wait();
    let said = format!("cannot read standard input: it is larger than {limit} bytes");
    assert!(piped.failure().contains(&said), "{piped:?}");
    let mut unread = command(&["verify", "-"]);
    let unread = unread.stdin(File::open(folder.path()).unwrap());
    let unread = Program::spawn(unread).wait();
    assert!(
        unread.failure().contains("cannot read standard input"),
        "{unread:?}"
    );
    let mut keyless = command(&["verify", "-"]);
    let keyless = Program::spawn(keyless.current_dir(folder.path())).wait();
    let advice = "no key set to verify with: pass --jwks FILE_OR_URL, or --sandbox DIR";
    assert_eq!(keyless.failure(), advice);
}
