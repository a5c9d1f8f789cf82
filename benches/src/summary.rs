//! What many rounds say about one row.

use serde::Serialize;

use crate::lane::Visit;

/// Rounds of one row, in nanoseconds a packet and thread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Median.
    pub median: f64,
    /// The best round.
    pub min: f64,
    /// p90 / p10 - 1: 0.1 is ten percent.
    pub spread: f64,
    /// The median share of a visit during which every thread had its core, if the system tells.
    pub presence: Option<f64>,
}

impl Summary {
    /// Of at least one round.
    #[must_use]
    pub fn of(visits: &[Visit]) -> Self {
        let mut rounds: Vec<f64> = visits.iter().map(|visit| visit.ns).collect();
        let mut presence: Vec<f64> = visits.iter().filter_map(|visit| visit.presence).collect();
        let (low, high) = (percentile(&mut rounds, 10), percentile(&mut rounds, 90));
        Self {
            median: percentile(&mut rounds, 50),
            min: percentile(&mut rounds, 0),
            spread: if low > 0.0 { high / low - 1.0 } else { f64::INFINITY },
            presence: (!presence.is_empty()).then(|| percentile(&mut presence, 50)),
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

    fn of(rounds: &[f64]) -> Summary {
        let visits: Vec<Visit> = rounds.iter().map(|ns| Visit { ns: *ns, presence: Some(0.5) }).collect();
        Summary::of(&visits)
    }

    #[test]
    fn one_bad_round_moves_neither_median_nor_minimum() {
        let mut rounds: Vec<f64> = (100..=110).map(f64::from).collect();
        rounds[3] = 5000.0;
        let summary = of(&rounds);
        assert_eq!((summary.median, summary.min, summary.presence), (106.0, 100.0, Some(0.5)));
        assert!(summary.spread < 0.1, "{summary:?}");
    }

    #[test]
    fn two_regimes_show_as_spread() {
        let rounds: Vec<f64> = (0..10).map(|round| if round % 2 == 0 { 100.0 } else { 160.0 }).collect();
        assert!((of(&rounds).spread - 0.6).abs() < 1e-9);
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let mut values = [3.0, 1.0, 2.0];
        assert_eq!([0, 50, 100].map(|percent| percentile(&mut values, percent)), [1.0, 2.0, 3.0]);
        assert!(percentile(&mut [], 50).is_nan());
    }
}
