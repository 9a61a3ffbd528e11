//! The columns of a drawing: each track leads down to a property that is not yet drawn.

use super::Paint;

/// Tracks from left to right. A used track holds the place of its property; a free one holds nothing.
pub(super) struct Tracks {
    tracks: Vec<Option<usize>>,
}

/// The tracks that meet at a property.
pub(super) struct Joined {
    /// The track of the property.
    pub(super) track: usize,
    /// The number of tracks that lead to the property; 0 for a top.
    pub(super) count: usize,
    /// The row that joins the tracks; empty unless there are several.
    pub(super) drawing: String,
}

impl Tracks {
    pub(super) fn new() -> Self {
        Self { tracks: Vec::new() }
    }

    /// Joins all tracks that lead to `place` into the leftmost one, or opens a track for a top. The
    /// track stays in use until [`leave`](Self::leave).
    pub(super) fn enter(&mut self, place: usize) -> Joined {
        let leading: Vec<usize> = (0..self.tracks.len())
            .filter(|&track| self.tracks[track] == Some(place))
            .collect();
        let Some((&track, others)) = leading.split_first() else {
            let track = self.open_track(0, place);
            return Joined {
                track,
                count: 0,
                drawing: String::new(),
            };
        };
        let drawing = self.draw_fork(track, others, ['┴', '╯']);
        for &other in others {
            self.tracks[other] = None;
        }
        self.drop_free_tracks();
        Joined {
            track,
            count: leading.len(),
            drawing,
        }
    }

    /// Leads the track to the first of the places `below`, and opens a track to its right for each
    /// other place. Returns the row that shows the split, if there are several.
    pub(super) fn leave(&mut self, track: usize, below: &[usize]) -> Option<String> {
        self.tracks[track] = below.first().copied();
        let others: Vec<usize> = below
            .iter()
            .skip(1)
            .map(|&place| self.open_track(track + 1, place))
            .collect();
        let drawing = (!others.is_empty()).then(|| self.draw_fork(track, &others, ['┬', '╮']));
        self.drop_free_tracks();
        drawing
    }

    /// A row that draws the track as the mark, with a remark at its right.
    pub(super) fn row(&self, track: usize, mark: char, remark: &str, paint: Paint) -> String {
        format!("{} {}", self.drawing(track, mark), paint.dim(remark))
    }

    /// A row of all tracks, with `track` drawn as `mark`.
    pub(super) fn drawing(&self, track: usize, mark: char) -> String {
        let columns = self.tracks.iter().enumerate().map(|(column, leads_to)| {
            if column == track {
                mark
            } else if leads_to.is_some() {
                '│'
            } else {
                ' '
            }
        });
        columns.flat_map(|column| [column, ' ']).collect()
    }

    /// Removes the free tracks at the right edge, so that text stands next to the drawing.
    fn drop_free_tracks(&mut self) {
        while self.tracks.last() == Some(&None) {
            self.tracks.pop();
        }
    }

    /// Takes the leftmost free track from `from` on for `place` and returns it.
    fn open_track(&mut self, from: usize, place: usize) -> usize {
        let free = (from..self.tracks.len()).find(|&track| self.tracks[track].is_none());
        let track = free.unwrap_or(self.tracks.len());
        if free.is_none() {
            self.tracks.push(None);
        }
        self.tracks[track] = Some(place);
        track
    }

    /// A row in which `others`, all right of `track`, join `track` or split from it. The first of
    /// `joints` is drawn for each of them except the last, which gets the second.
    fn draw_fork(&self, track: usize, others: &[usize], joints: [char; 2]) -> String {
        let last = others.iter().copied().max().unwrap_or(track);
        let mut row = String::new();
        for (column, leads_to) in self.tracks.iter().enumerate() {
            let is_inside = track <= column && column < last;
            row.push(match leads_to {
                _ if column == track => '├',
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
