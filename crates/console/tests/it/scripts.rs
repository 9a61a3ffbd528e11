//! Runs the scripts' own tests with Node, where Node is installed.

use std::path::Path;
use std::process::Command;

#[test]
fn scripts_pass_their_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut node = Command::new("node");
    node.args(["--test", "tests/verify.mjs"]).current_dir(root);
    let Ok(output) = node.output() else {
        println!("Node is not installed, so the tests of the scripts did not run.");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
}
