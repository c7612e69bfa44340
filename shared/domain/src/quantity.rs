//! Quantities of resources in the notation of Kubernetes: `500m`, `1.5Gi`, `1e3`.
//!
//! A quantity is a whole number of nano-units. More precise ones are rounded up, away from zero, as Kubernetes does. The
//! canonical form has the largest suffix that needs no fraction.

use std::fmt;
use std::str::FromStr;

/// Longer texts are refused before they are read.
const MAX_BYTES: usize = 32;
/// The largest exponent of ten, with either sign. Kubernetes itself hangs on very large ones.
const MAX_EXPONENT: i32 = 27;
const NANO: i128 = 1_000_000_000;
/// Kubernetes does not represent larger values with a binary suffix.
const MAX_BINARY: i128 = i64::MAX as i128;

const BINARY: [(&str, u32); 6] = [("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)];
const DECIMAL: [(&str, i32); 10] =
    [("E", 18), ("P", 15), ("T", 12), ("G", 9), ("M", 6), ("k", 3), ("", 0), ("m", -3), ("u", -6), ("n", -9)];

/// A quantity, which keeps the kind of its suffix.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    nano: i128,
    notation: Notation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Notation {
    /// `Ki`, `Mi` …
    Binary,
    /// `m`, none, `k`, `M` …
    Decimal,
    /// `e3`
    Exponent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    #[error("must be a number with an optional suffix, such as 500m, 2, 1.5Gi or 1e3")]
    Malformed,
    #[error("is too long or too large")]
    TooLarge,
}

impl Quantity {
    /// A whole number of units, in binary notation.
    pub const fn binary(units: u64) -> Self {
        Self { nano: units as i128 * NANO, notation: Notation::Binary }
    }

    /// A number of MiB, in binary notation.
    pub const fn mebi(units: u64) -> Self {
        Self { nano: (units as i128 * NANO) << 20, notation: Notation::Binary }
    }

    /// A number of thousandths, in decimal notation.
    pub const fn milli(thousandths: u64) -> Self {
        Self { nano: thousandths as i128 * (NANO / 1_000), notation: Notation::Decimal }
    }

    pub const fn is_negative(self) -> bool {
        self.nano < 0
    }

    /// Whether the suffix is a binary one, such as `Gi`.
    pub const fn is_binary(self) -> bool {
        matches!(self.notation, Notation::Binary)
    }

    /// The number of units, rounded up.
    pub const fn ceil(self) -> i128 {
        div_away_from_zero(self.nano, NANO)
    }

    /// The number of thousandths, rounded up.
    pub const fn ceil_milli(self) -> i128 {
        div_away_from_zero(self.nano, NANO / 1_000)
    }

    /// The number of units, if it is whole.
    pub const fn whole(self) -> Option<i128> {
        if self.nano % NANO == 0 { Some(self.nano / NANO) } else { None }
    }

    /// The number of thousandths, if it is whole.
    pub const fn whole_milli(self) -> Option<i128> {
        const MILLI: i128 = NANO / 1_000;
        if self.nano % MILLI == 0 { Some(self.nano / MILLI) } else { None }
    }
}

/// Divides, and rounds away from zero.
const fn div_away_from_zero(value: i128, by: i128) -> i128 {
    value / by + if value % by == 0 { 0 } else { value.signum() }
}

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        use QuantityError::{Malformed, TooLarge};
        if text.len() > MAX_BYTES {
            return Err(TooLarge);
        }
        let (is_negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let number = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
        let (number, suffix) = unsigned.split_at(number);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') {
            return Err(Malformed);
        }
        // The value is `digits · 10^exponent · 2^power`.
        let digits: i128 = [whole, fraction].concat().parse().map_err(|_| TooLarge)?;
        let digits = if is_negative { -digits } else { digits };
        let (notation, exponent, power) = read_suffix(suffix)?;
        let exponent = exponent - i32::try_from(fraction.len()).map_err(|_| TooLarge)? + 9;
        let scaled = digits.checked_mul(1 << power).ok_or(TooLarge)?;
        let nano = match 10i128.checked_pow(exponent.unsigned_abs()) {
            Some(scale) if exponent >= 0 => scaled.checked_mul(scale).ok_or(TooLarge)?,
            Some(scale) => div_away_from_zero(scaled, scale),
            None if scaled == 0 => 0,
            None if exponent >= 0 => return Err(TooLarge),
            None => scaled.signum(),
        };
        let nano = match notation {
            Notation::Binary => nano.clamp(-MAX_BINARY * NANO, MAX_BINARY * NANO),
            Notation::Decimal | Notation::Exponent => nano,
        };
        Ok(Self { nano, notation })
    }
}

/// Reads a suffix: its notation, its exponent of ten and its power of two.
fn read_suffix(suffix: &str) -> Result<(Notation, i32, u32), QuantityError> {
    if let Some((_, power)) = BINARY.iter().find(|(name, _)| *name == suffix) {
        return Ok((Notation::Binary, 0, *power));
    }
    if let Some((_, exponent)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Ok((Notation::Decimal, *exponent, 0));
    }
    let digits = suffix.strip_prefix(['e', 'E']).ok_or(QuantityError::Malformed)?;
    let unsigned = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    if unsigned.is_empty() || !unsigned.bytes().all(|c| c.is_ascii_digit()) {
        return Err(QuantityError::Malformed);
    }
    let exponent: i32 = digits.parse().map_err(|_| QuantityError::TooLarge)?;
    match exponent.abs() <= MAX_EXPONENT {
        true => Ok((Notation::Exponent, exponent, 0)),
        false => Err(QuantityError::TooLarge),
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nano, notation } = *self;
        if nano == 0 {
            return f.write_str("0");
        }
        if notation == Notation::Binary && nano % NANO == 0 && nano.abs() >= 1_024 * NANO {
            let units = nano / NANO;
            let fits = BINARY.iter().find(|(_, power)| units % (1 << power) == 0);
            let (suffix, power) = fits.copied().unwrap_or(("", 0));
            return write!(f, "{}{suffix}", units >> power);
        }
        let fits = |exponent: i32| 10i128.checked_pow((exponent + 9).unsigned_abs()).filter(|unit| nano % unit == 0);
        if notation == Notation::Exponent {
            let exponents = (-3..=9).rev().map(|third| 3 * third);
            let (exponent, unit) =
                exponents.filter_map(|exponent| Some((exponent, fits(exponent)?))).next().unwrap_or((-9, 1));
            return match exponent {
                0 => write!(f, "{}", nano / unit),
                _ => write!(f, "{}e{exponent}", nano / unit),
            };
        }
        let (suffix, unit) = DECIMAL
            .iter()
            .filter_map(|(suffix, exponent)| Some((*suffix, fits(*exponent)?)))
            .next()
            .unwrap_or(("n", 1));
        write!(f, "{}{suffix}", nano / unit)
    }
}

/// Quantities are compared by their values, whatever their notation.
impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nano == other.nano
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.nano.cmp(&other.nano)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Text, canonical form, and the number of units rounded up, as apimachinery computed them.
    const READ: &[(&str, &str, i128)] = &[
        ("0", "0", 0),
        ("1", "1", 1),
        ("1.5", "1500m", 2),
        ("4Gi", "4Gi", 4_294_967_296),
        ("512Mi", "512Mi", 536_870_912),
        ("16Gi", "16Gi", 17_179_869_184),
        ("1000m", "1", 1),
        ("0.1", "100m", 1),
        ("100n", "100n", 1),
        ("1k", "1k", 1_000),
        ("1e3", "1e3", 1_000),
        ("1e-3", "1e-3", 1),
        ("9Ei", "9223372036854775807", 9_223_372_036_854_775_807),
        ("8Ei", "9223372036854775807", 9_223_372_036_854_775_807),
        (".5", "500m", 1),
        ("0.5Gi", "512Mi", 536_870_912),
        ("100.035Ki", "102435840m", 102_436),
        ("0.1Gi", "107374182400m", 107_374_183),
        ("1025Mi", "1025Mi", 1_074_790_400),
        ("4096M", "4096M", 4_096_000_000),
        ("3.001n", "4n", 1),
        ("-1", "-1", -1),
        ("+1", "1", 1),
        ("500m", "500m", 1),
        ("0.5", "500m", 1),
        ("1.5Gi", "1536Mi", 1_610_612_736),
        ("1024Mi", "1Gi", 1_073_741_824),
        ("1Ki", "1Ki", 1_024),
        ("16384", "16384", 16_384),
        ("2000m", "2", 2),
        ("0.1m", "100u", 1),
        ("1u", "1u", 1),
        ("1E", "1E", 1_000_000_000_000_000_000),
        ("1.2e3", "1200", 1_200),
        ("7Ei", "7Ei", 8_070_450_532_247_928_832),
        ("1.", "1", 1),
        ("0.0005Gi", "536870912m", 536_871),
        ("1.1Gi", "1181116006400m", 1_181_116_007),
        ("1048576Ki", "1Gi", 1_073_741_824),
        ("1023Ki", "1023Ki", 1_047_552),
        ("100000m", "100", 100),
        ("1.0000000001Gi", "1073741824107374183n", 1_073_741_825),
        ("-1Gi", "-1Gi", -1_073_741_824),
        ("250m", "250m", 1),
        ("12E", "12E", 12_000_000_000_000_000_000),
        ("1E3", "1e3", 1_000),
    ];

    const MALFORMED: &[&str] = &[
        "", " 1", "1 ", "1 Gi", "1K", "1GB", "1Gib", "1gi", "1GI", "1mi", "1ki", "KI", "1e", "1e1e1", "1e3Gi", "1Gim",
        "1mm", "1Zi", "1,5", "1_000", "0x10", "2^3", "NaN", "∞", "１", "--1", "+-1", "1..5", "1.5.2", "Gi", "m", ".",
        "-.", "1e+", "1e1.5", "-",
    ];

    #[test]
    fn quantities_are_read_as_kubernetes_reads_them() {
        for (text, canonical, units) in READ {
            let quantity: Quantity = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((quantity.to_string().as_str(), quantity.ceil()), (*canonical, *units), "{text}");
        }
    }

    #[test]
    fn other_texts_are_malformed() {
        for text in MALFORMED {
            assert_eq!(text.parse::<Quantity>(), Err(QuantityError::Malformed), "{text}");
        }
    }

    #[test]
    fn numbers_that_would_take_long_are_refused() {
        for text in
            ["1e2147483648", "1e28", "1e-28", "1e9999999999999999999", "100000000000000000000e27", &"1".repeat(33)]
        {
            assert_eq!(text.parse::<Quantity>(), Err(QuantityError::TooLarge), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_canonical_form_has_the_same_value_and_form(number in "[0-9]{1,12}(\\.[0-9]{0,6})?", suffix in "(n|u|m|k|M|G|T|Ki|Mi|Gi|Ti|e[0-9]|e-[0-9])?") {
            let quantity: Quantity = format!("{number}{suffix}").parse().unwrap();
            let canonical = quantity.to_string();
            let again: Quantity = canonical.parse().unwrap();
            prop_assert_eq!(again, quantity);
            prop_assert_eq!(again.to_string(), canonical);
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}") {
            let _ = text.parse::<Quantity>();
        }
    }
}
