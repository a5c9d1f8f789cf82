//! What many rounds say about one row.

use serde::Serialize;

/// Rounds of one row, in nanoseconds a packet and thread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Median.
    pub median: f64,
    /// The best round.
    pub min: f64,
    /// p90 / p10 - 1: 0.1 is ten percent.
    pub spread: f64,
}

impl Summary {
    /// Of at least one round.
    #[must_use]
    pub fn of(mut rounds: Vec<f64>) -> Self {
        let (low, high) = (percentile(&mut rounds, 10), percentile(&mut rounds, 90));
        Self {
            median: percentile(&mut rounds, 50),
            min: percentile(&mut rounds, 0),
            spread: if low > 0.0 { high / low - 1.0 } else { f64::INFINITY },
        }
    }
}

/// The nearest-rank percentile; NaN of nothing. Sorts.
pub(crate) fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((last * percent + 50) / 100).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_round_moves_neither_median_nor_minimum() {
        let mut rounds: Vec<f64> = (100..=110).map(f64::from).collect();
        rounds[3] = 5000.0;
        let summary = Summary::of(rounds);
        assert_eq!((summary.median, summary.min), (106.0, 100.0));
        assert!(summary.spread < 0.1, "{summary:?}");
    }

    #[test]
    fn two_regimes_show_as_spread() {
        let rounds = (0..10).map(|round| if round % 2 == 0 { 100.0 } else { 160.0 }).collect();
        assert!((Summary::of(rounds).spread - 0.6).abs() < 1e-9);
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut values = [3.0, 1.0, 2.0];
        assert_eq!([0, 50, 100].map(|percent| percentile(&mut values, percent)), [1.0, 2.0, 3.0]);
        assert!(percentile(&mut [], 50).is_nan());
    }
}
