//! Sums as Array#sum makes them: Integers exactly, Floats in their order with the compensation of Kahan and Babuska
//! (A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974).

/// A sum of Floats on the way: what was added up, and what was lost by rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compensated {
    pub sum: f64,
    pub lost: f64,
}

impl Compensated {
    pub const fn new(sum: f64) -> Self {
        Self { sum, lost: 0.0 }
    }

    #[inline]
    pub fn add(&mut self, number: f64) {
        let sum = self.sum;
        if !number.is_finite() || !sum.is_finite() {
            self.add_infinite(number);
            return;
        }
        let (total, lost) = added(sum, number);
        self.lost += lost;
        self.sum = total;
    }

    /// What is no number stays, whatever comes; infinities of both signs are none.
    #[cold]
    fn add_infinite(&mut self, number: f64) {
        if self.sum.is_nan() {
            return;
        }
        if number.is_nan() {
            self.sum = number;
        } else if number.is_infinite() {
            let opposed = self.sum.is_infinite() && self.sum.is_sign_negative() != number.is_sign_negative();
            self.sum = if opposed { f64::NAN } else { number };
        }
    }

    pub fn total(self) -> f64 {
        self.sum + self.lost
    }
}

/// The sum of two numbers, and what rounding has lost of it.
#[inline]
pub fn added(sum: f64, number: f64) -> (f64, f64) {
    let total = sum + number;
    (total, if sum.abs() >= number.abs() { (sum - total) + number } else { (number - total) + sum })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(numbers: &[f64]) -> f64 {
        let mut sum = Compensated::new(0.0);
        numbers.iter().for_each(|number| sum.add(*number));
        sum.total()
    }

    #[test]
    fn what_rounding_loses_is_added_in_the_end() {
        assert_eq!(total(&[0.1; 10]), 1.0);
        assert_eq!(total(&[3.0, 1e100, 4.0, -1e100]), 7.0);
    }

    #[test]
    fn infinities_of_both_signs_are_no_number() {
        assert_eq!(total(&[1.0, f64::INFINITY, 2.0]), f64::INFINITY);
        assert!(total(&[f64::INFINITY, f64::NEG_INFINITY, 1.0]).is_nan());
        assert!(total(&[f64::NAN, f64::INFINITY]).is_nan());
    }
}
