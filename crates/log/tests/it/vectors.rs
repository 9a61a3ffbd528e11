//! The public test cases of transparency-dev/merkle, which stand beside the repository.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use log::proof::{verify_consistency, verify_inclusion};
use log::{Hash, TreeHead};
use serde_json::Value;

#[test]
fn inclusion_proofs_are_judged_as_there() {
    let Some(cases) = cases("inclusion") else {
        return;
    };
    assert!(cases.len() > 80, "{} cases", cases.len());
    check(&cases, |case| {
        let head = TreeHead {
            size: case["treeSize"].as_u64()?,
            root: hash(&case["root"])?,
        };
        let leaf = hash(&case["leafHash"])?;
        verify_inclusion(case["leafIdx"].as_u64()?, &leaf, &proof(case)?, &head).ok()
    });
}

#[test]
fn consistency_proofs_are_judged_as_there() {
    let Some(cases) = cases("consistency") else {
        return;
    };
    assert!(cases.len() > 80, "{} cases", cases.len());
    check(&cases, |case| {
        let head = |size: &str, root: &str| {
            Some(TreeHead {
                size: case[size].as_u64()?,
                root: hash(&case[root])?,
            })
        };
        let (old, new) = (head("size1", "root1")?, head("size2", "root2")?);
        verify_consistency(&old, &new, &proof(case)?).ok()
    });
}

fn check(cases: &[(PathBuf, Value)], verify: impl Fn(&Value) -> Option<()>) {
    for (path, case) in cases {
        let is_refused = verify(case).is_none();
        assert_eq!(case["wantErr"], is_refused, "{}", path.display());
    }
}

/// `None` for an empty or long text, which must be refused. Some cases have a short text for a hash
/// that does not matter.
fn hash(value: &Value) -> Option<Hash> {
    let mut bytes = STANDARD.decode(value.as_str()?).ok()?;
    if (1..32).contains(&bytes.len()) {
        bytes.resize(32, 0);
    }
    bytes.try_into().ok()
}

fn proof(case: &Value) -> Option<Vec<Hash>> {
    let hashes = case["proof"].as_array();
    hashes.into_iter().flatten().map(hash).collect()
}

fn cases(folder: &str) -> Option<Vec<(PathBuf, Value)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = root
        .join("../../../shared/data/vectors/merkle/testdata")
        .join(folder);
    if !root.exists() {
        println!("skipped: test vectors {} are absent", root.display());
        return None;
    }
    let mut cases = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let case = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
                cases.push((path, case));
            }
        }
    }
    Some(cases)
}
