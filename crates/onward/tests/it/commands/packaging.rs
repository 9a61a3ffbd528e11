//! What a package brings besides the program: completions and manual pages.

use super::program::{run, run_well};

#[test]
fn shells_get_completions() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run_well(&["completions", shell]);
        for word in ["onward", "sandbox", "backup", "replace"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(run(&["completions", "command.com"]).status, Some(2));
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("man/man1");
    run_well(&["man", path.to_str().unwrap()]);
    let page = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
    assert!(page("onward.1").contains("signed state of property chains"));
    for name in ["serve", "restore", "keys-rotate"] {
        assert!(
            page(&format!("onward-{name}.1")).contains(".SH SYNOPSIS"),
            "{name}"
        );
    }
    let refused = run(&["man", "/proc/nowhere"]);
    assert!(
        refused
            .failure()
            .contains("cannot write into /proc/nowhere")
    );
}
