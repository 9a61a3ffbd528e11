//! The columns of a drawing: each lane leads down to a property that is not yet drawn.

use super::Paint;

/// Lanes from left to right. A used lane holds the place of its property; a free one holds nothing.
pub(super) struct Lanes {
    lanes: Vec<Option<usize>>,
}

/// The lanes that meet at a property.
pub(super) struct Joined {
    /// The lane of the property.
    pub(super) lane: usize,
    /// The number of lanes that lead to the property; 0 for a top.
    pub(super) count: usize,
    /// The row that joins the lanes; empty unless there are several.
    pub(super) drawing: String,
}

impl Lanes {
    pub(super) fn new() -> Self {
        Self { lanes: Vec::new() }
    }

    /// Joins all lanes that lead to `place` into the leftmost one, or opens a lane for a top. The
    /// lane stays in use until [`leave`](Self::leave).
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

    /// Leads the lane to the first of the places `below`, and opens a lane to its right for each
    /// other place. Returns the row that shows the split, if there are several.
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

    /// A row that draws the lane as the mark, with a remark at its right.
    pub(super) fn row(&self, lane: usize, mark: char, remark: &str, paint: Paint) -> String {
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

    /// Removes the free lanes at the right edge, so that text stands next to the drawing.
    fn drop_free_lanes(&mut self) {
        while self.lanes.last() == Some(&None) {
            self.lanes.pop();
        }
    }

    /// Takes the leftmost free lane from `from` on for `place` and returns it.
    fn open_lane(&mut self, from: usize, place: usize) -> usize {
        let free = (from..self.lanes.len()).find(|&lane| self.lanes[lane].is_none());
        let lane = free.unwrap_or(self.lanes.len());
        if free.is_none() {
            self.lanes.push(None);
        }
        self.lanes[lane] = Some(place);
        lane
    }

    /// A row in which `others`, all right of `lane`, join `lane` or split from it. The first of
    /// `joints` is drawn for each of them except the last, which gets the second.
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
