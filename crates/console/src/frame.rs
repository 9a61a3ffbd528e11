//! The frame around each page: header, navigation, notice, refused fields and footer.

use chain::ids::{ChainId, Uprn};

/// The parts that every page has.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// The person signed in; `None` before sign-in, on public pages and for holders of a share link.
    pub viewer: Option<Viewer>,
    /// The part of the navigation that the page belongs to.
    pub section: Section,
    /// The text in the search box of the header.
    pub search: String,
    /// Path of the page of people, `/enter/{token}`. Only the sandbox has one.
    pub sandbox: Option<String>,
    /// The result of the last form, shown once after the redirect.
    pub notice: Option<String>,
    /// The refused fields of the last form. The page then has the status of the refusal.
    pub problems: Vec<FieldProblem>,
    /// A fresh random text that each form of the page sends as `idempotency_key`.
    pub idempotency_key: String,
    /// Whether newer versions are announced on the page. The page needs scripts for it.
    pub stream: Option<Stream>,
}

/// The person signed in.
#[derive(Debug, Clone)]
pub struct Viewer {
    /// Such as `Kim`.
    pub name: String,
    /// The participant, such as `Acorn`.
    pub organisation: String,
    /// It decides the navigation.
    pub role: Role,
    /// How many homes there are to chase; shown beside "Chase today".
    pub to_chase: Option<u64>,
}

/// The role of a person. It decides which pages and forms the person may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Holds sales of own branches.
    Progressor,
    /// A lender or conveyancer: sees document 1's facts.
    Reader,
    /// Looks after the participant's own clients and webhooks.
    Integrator,
    /// Runs the service.
    Operator,
}

/// A part of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Section {
    /// None of the others.
    #[default]
    Other,
    /// `/chase`
    Chase,
    /// `/chains` and everything below it, and `/listings`
    Chains,
    /// `/changes`
    Changes,
    /// `/search`
    Search,
    /// `/account`
    Account,
}

/// A refused field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldProblem {
    /// The `id` of the field on the page. The documentation of each form names its ids.
    pub field: String,
    /// One sentence that names the fault and its remedy.
    pub detail: String,
}

/// The state that the page shows. `/stream?chain={chain}&version={version}` announces other ones as
/// server-sent events, each with the data `{"chain": "…", "version": 1}`. A reader names the home as
/// well, as `&uprn={uprn}`.
#[derive(Debug, Clone, Copy)]
pub struct Stream {
    /// The chain.
    pub chain: ChainId,
    /// A number that changes with the facts that the viewer may see.
    pub version: i64,
    /// The home that a reader looked up.
    pub asked_for: Option<Uprn>,
}

/// A link of the navigation.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
    pub(crate) is_here: bool,
    pub(crate) count: Option<u64>,
}

impl Frame {
    /// The navigation of the viewer's role.
    pub(crate) fn links(&self) -> Vec<Link> {
        let pages: &[(&str, &str, Section)] = match self.viewer.as_ref().map(|viewer| viewer.role) {
            Some(Role::Progressor) => &[
                ("/chase", "Chase today", Section::Chase),
                ("/chains", "Chains", Section::Chains),
                ("/changes", "Changes", Section::Changes),
            ],
            Some(Role::Reader) => &[("/search", "Look up", Section::Search)],
            Some(Role::Integrator | Role::Operator) | None => &[],
        };
        let to_chase = self.viewer.as_ref().and_then(|viewer| viewer.to_chase);
        let links = pages.iter().map(|(path, text, section)| Link {
            path,
            text,
            is_here: self.section == *section,
            count: to_chase.filter(|_| *section == Section::Chase),
        });
        links.collect()
    }

    /// The problem of a field, if it was refused.
    pub(crate) fn problem(&self, field: &str) -> Option<&str> {
        let mut problems = self.problems.iter();
        let problem = problems.find(|problem| problem.field == field);
        problem.map(|problem| problem.detail.as_str())
    }
}

impl Role {
    /// Whether somebody of this role may use the search box.
    pub(crate) const fn may_search(self) -> bool {
        match self {
            Self::Progressor | Self::Reader => true,
            Self::Integrator | Self::Operator => false,
        }
    }

    /// The role in words, in the middle of a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Progressor => "sales progressor",
            Self::Reader => "reader",
            Self::Integrator => "integrator",
            Self::Operator => "operator",
        }
    }
}
