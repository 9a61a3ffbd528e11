//! Makes up the branches that sell properties, and their towns.

use import::row::BranchRow;

use super::firms::agent_name;
use super::random::Random;

/// The branches of a sample, numbered from 0.
#[derive(Debug)]
pub(super) struct Branches {
    /// The town number of each branch.
    towns: Vec<usize>,
    by_town: Vec<Vec<usize>>,
    participants: usize,
}

impl Branches {
    /// Makes one branch for about 60 listings, and at least four; `pick_town` chooses the town of
    /// each.
    pub(super) fn new(
        listings: u64,
        town_count: usize,
        mut pick_town: impl FnMut() -> usize,
    ) -> Self {
        let count = usize::try_from(listings / LISTINGS_PER_BRANCH).unwrap_or(BRANCHES_MIN);
        let count = count.max(BRANCHES_MIN);
        let mut by_town = vec![Vec::new(); town_count];
        let mut towns = Vec::with_capacity(count);
        for branch in 0..count {
            let town = pick_town();
            towns.push(town);
            if let Some(branches) = by_town.get_mut(town) {
                branches.push(branch);
            }
        }
        let participants = (count / BRANCHES_PER_PARTICIPANT).max(PARTICIPANTS_MIN);
        Self {
            towns,
            by_town,
            participants,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.towns.len()
    }

    pub(super) fn town(&self, branch: usize) -> usize {
        self.towns.get(branch).copied().unwrap_or_default()
    }

    pub(super) fn pick(&self, random: &mut Random) -> usize {
        random.index(self.count())
    }

    /// Picks the branch that sells the next property up the chain. It is often the same branch or one
    /// in the same town, because most people move a short way.
    pub(super) fn pick_next(&self, random: &mut Random, branch: usize) -> usize {
        if random.chance(450) {
            return branch;
        }
        if random.chance(600) {
            let neighbours = self.by_town.get(self.town(branch));
            let neighbour = neighbours.and_then(|branches| random.pick(branches));
            return neighbour.copied().unwrap_or(branch);
        }
        self.pick(random)
    }

    pub(super) fn reference(branch: usize) -> String {
        format!("BR{:05}", branch + 1)
    }

    /// The row of a branch; its name ends with the town's name if there is one.
    pub(super) fn row(&self, branch: usize, town_name: Option<&str>) -> BranchRow {
        let number = u64::try_from(branch % self.participants).unwrap_or_default();
        let participant = agent_name(number);
        let name = match town_name {
            Some(town) => format!("{participant}, {town}"),
            None => format!("{participant}, Branch {}", branch / self.participants + 1),
        };
        BranchRow {
            branch: Self::reference(branch),
            name,
            participant,
        }
    }
}

const LISTINGS_PER_BRANCH: u64 = 60;
const BRANCHES_MIN: usize = 4;
const BRANCHES_PER_PARTICIPANT: usize = 4;
const PARTICIPANTS_MIN: usize = 2;
