//! The function `range`.

use super::*;

pub fn range<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let number = |place: usize| integer(&a[place]);
    let (start, stop) = if a.len() == 1 { (0, number(0)?) } else { (number(0)?, number(1)?) };
    let step = if a.len() == 3 { number(2)? } else { 1 };
    if step <= 0 {
        return Err(Cause::Message("the step of a range must be above zero"));
    }
    let count = count(start, stop, step);
    let bytes = usize::try_from(count * size_of::<Value>() as i128).map_err(|_| TOO_MANY)?;
    budget.bytes(bytes)?;
    let count = usize::try_from(count).map_err(|_| TOO_MANY)?;
    let numbers = std::iter::successors(Some(start), |number| number.checked_add(step));
    Value::list(numbers.take(count).map(Value::Int).collect(), budget)
}

const TOO_MANY: Cause = Cause::Limit("the evaluation creates too much data; simplify it or use less data");

/// Counts the numbers in 128 bits, because there can be more than 64 bits hold.
fn count(start: i64, stop: i64, step: i64) -> i128 {
    let (start, stop, step) = (i128::from(start), i128::from(stop), i128::from(step));
    ((stop - start).max(0) + step - 1) / step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_counted_without_overflow() {
        for (range, expected) in [
            ((0, 3, 1), 3),
            ((0, 0, 1), 0),
            ((3, 0, 1), 0),
            ((0, 7, 3), 3),
            ((-1, i64::MAX, i64::MAX), 2),
            ((i64::MIN, i64::MAX, i64::MAX), 3),
            ((i64::MAX, i64::MIN, 1), 0),
            ((i64::MIN, i64::MAX, 1), i128::from(u64::MAX)),
        ] {
            assert_eq!(count(range.0, range.1, range.2), expected, "{range:?}");
        }
    }
}
