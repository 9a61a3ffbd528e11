//! The columns of a drawing: each lane leads down to a property that is still to be drawn.

use super::Paint;

/// Lanes from left to right. A lane holds the place of the property that it leads to, or nothing.
pub(super) struct Lanes {
    lanes: Vec<Option<usize>>,
}

/// How the lanes met at a property.
pub(super) struct Joined {
    /// The lane in which the property stands.
    pub(super) lane: usize,
    /// How many lanes led to it; none for a top.
    pub(super) count: usize,
    /// The row that shows them meeting, when there are several.
    pub(super) drawing: String,
}

impl Lanes {
    pub(super) fn new() -> Self {
        Self { lanes: Vec::new() }
    }

    /// Lets all lanes that lead to `place` meet in the leftmost, or opens one for a top. The lane
    /// counts as taken until [`leave`](Self::leave).
    pub(super) fn enter(&mut self, place: usize) -> Joined {
        let leading: Vec<usize> = (0..self.lanes.len())
            .filter(|&lane| self.lanes[lane] == Some(place))
            .collect();
        let Some((&lane, others)) = leading.split_first() else {
            let lane = self.open_lane(0, place);
            return Joined {
                lane,
                count: 0,
                drawing: String::new(),
            };
        };
        let drawing = self.draw_fork(lane, others, ['┴', '╯']);
        for &other in others {
            self.lanes[other] = None;
        }
        self.drop_free_lanes();
        Joined {
            lane,
            count: leading.len(),
            drawing,
        }
    }

    /// Lets the lane go on to the first of the places `below`, and opens a lane to its right for
    /// each of the others. Returns the row that shows them part, when there are several.
    pub(super) fn leave(&mut self, lane: usize, below: &[usize]) -> Option<String> {
        self.lanes[lane] = below.first().copied();
        let others: Vec<usize> = below
            .iter()
            .skip(1)
            .map(|&place| self.open_lane(lane + 1, place))
            .collect();
        let drawing = (!others.is_empty()).then(|| self.draw_fork(lane, &others, ['┬', '╮']));
        self.drop_free_lanes();
        drawing
    }

    /// A row with the lane drawn as the mark, and a remark beside it.
    pub(super) fn row(&self, lane: usize, (mark, remark): (char, &str), paint: Paint) -> String {
        format!("{} {}", self.drawing(lane, mark), paint.dim(remark))
    }

    /// A row of all lanes, with `lane` drawn as `mark`.
    pub(super) fn drawing(&self, lane: usize, mark: char) -> String {
        let columns = self.lanes.iter().enumerate().map(|(column, leads_to)| {
            if column == lane {
                mark
            } else if leads_to.is_some() {
                '│'
            } else {
                ' '
            }
        });
        columns.flat_map(|column| [column, ' ']).collect()
    }

    /// Drops the free lanes at the right edge, so that text moves up to the drawing.
    fn drop_free_lanes(&mut self) {
        while self.lanes.last() == Some(&None) {
            self.lanes.pop();
        }
    }

    /// The leftmost free lane from `from` on, taken for `place`.
    fn open_lane(&mut self, from: usize, place: usize) -> usize {
        let free = (from..self.lanes.len()).find(|&lane| self.lanes[lane].is_none());
        let lane = free.unwrap_or(self.lanes.len());
        if free.is_none() {
            self.lanes.push(None);
        }
        self.lanes[lane] = Some(place);
        lane
    }

    /// A row in which `others`, all to the right of `lane`, join it or part from it: drawn as the
    /// first of `joints`, the last of them as the second.
    fn draw_fork(&self, lane: usize, others: &[usize], joints: [char; 2]) -> String {
        let last = others.iter().copied().max().unwrap_or(lane);
        let mut row = String::new();
        for (column, leads_to) in self.lanes.iter().enumerate() {
            let is_inside = lane <= column && column < last;
            row.push(match leads_to {
                _ if column == lane => '├',
                _ if column == last => joints[1],
                _ if others.contains(&column) => joints[0],
                Some(_) if is_inside => '┼',
                Some(_) => '│',
                None if is_inside => '─',
                None => ' ',
            });
            row.push(if is_inside { '─' } else { ' ' });
        }
        row
    }
}
