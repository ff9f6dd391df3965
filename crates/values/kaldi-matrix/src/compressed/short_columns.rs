//! Order statistics of short columns, side by side: in examples for training, a matrix has few rows.

/// The columns that are sorted together.
pub(super) const LANES: usize = 16;

/// A row of these columns.
pub(super) type Row = [f32; LANES];

/// Up to this number of rows, sorting whole columns pays.
pub(super) const MOST_ROWS: usize = 64;

/// The rows that would be at 0, n/4, 3 (n/4) and n − 1 if each of the columns from `first` on were sorted; `None` if there is a
/// NaN. There are at least 5 rows. `rows` is memory for so many of them; columns that are not there are 0.
#[inline(always)]
pub(super) fn order_statistics(
    data: &[f32],
    cols: usize,
    first: usize,
    width: usize,
    rows: &mut [Row],
) -> Option<[Row; 4]> {
    let mut nans = [false; LANES];
    for (row, from) in rows.iter_mut().zip(data.chunks_exact(cols)) {
        *row = match from[first..].first_chunk() {
            Some(whole) if width == LANES => *whole,
            _ => {
                let mut part = [0.0; LANES];
                part[..width].copy_from_slice(&from[first..first + width]);
                part
            }
        };
        for (nan, value) in nans.iter_mut().zip(row) {
            *nan |= value.is_nan();
        }
    }
    if nans.contains(&true) {
        return None;
    }
    sort(rows);
    let quarter = rows.len() / 4;
    Some([0, quarter, 3 * quarter, rows.len() - 1].map(|place| rows[place]))
}

/// Sorts every column by comparing the same places in all of them (Batcher's merge exchange; Knuth, algorithm 5.2.2 M).
#[inline(always)]
fn sort(rows: &mut [Row]) {
    let count = rows.len();
    let half = count.next_power_of_two() / 2;
    let mut step = half;
    while step > 0 {
        let (mut reach, mut wanted, mut distance) = (half, 0, step);
        loop {
            for place in (0..count - distance).filter(|place| place & step == wanted) {
                exchange(rows, place, place + distance);
            }
            if reach == step {
                break;
            }
            (distance, wanted) = (reach - step, step);
            reach /= 2;
        }
        step /= 2;
    }
}

/// Puts the lower ones of two rows into the first.
#[inline(always)]
fn exchange(rows: &mut [Row], first: usize, second: usize) {
    let (one, other) = (rows[first], rows[second]);
    for lane in 0..LANES {
        rows[first][lane] = if one[lane] < other[lane] { one[lane] } else { other[lane] };
        rows[second][lane] = if one[lane] < other[lane] { other[lane] } else { one[lane] };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_any_length_are_sorted() {
        let mut word = 1_u32;
        for count in 1..=MOST_ROWS {
            let mut rows: Vec<Row> = (0..count)
                .map(|_| {
                    [(); LANES].map(|()| {
                        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (word >> 27) as f32 - 8.0
                    })
                })
                .collect();
            let expected = [0, 7, 15].map(|lane| {
                let mut column: Vec<f32> = rows.iter().map(|row| row[lane]).collect();
                column.sort_by(f32::total_cmp);
                column
            });
            sort(&mut rows);
            let found = [0, 7, 15].map(|lane| rows.iter().map(|row| row[lane]).collect::<Vec<_>>());
            assert_eq!(found, expected, "{count}");
        }
    }

    #[test]
    fn a_nan_is_seen_in_any_column() {
        let mut data = vec![1.0; 5 * 3];
        let mut rows = [[0.0; LANES]; 5];
        assert_eq!(order_statistics(&data, 3, 1, 2, &mut rows).unwrap()[3][..3], [1.0, 1.0, 0.0]);
        data[14] = f32::NAN;
        assert!(order_statistics(&data, 3, 1, 2, &mut rows).is_none());
        assert!(order_statistics(&data, 3, 0, 2, &mut rows).is_some());
    }
}
