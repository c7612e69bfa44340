//! The work budget of one validation. Every keyword charges for the data it reads before reading it.

use domain::language::Translated;

/// The maximum number of steps. A step takes some tens of nanoseconds; a list of a million numbers takes two million
/// steps.
const MAX_STEPS: usize = 5_000_000;
/// The maximum nesting of schemas: nested values, and chains of references.
const MAX_DEPTH: usize = 256;
/// The bytes of text that one step covers.
const BYTES_A_STEP: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetExceeded {
    TooMuchWork,
    TooDeep,
}

impl BudgetExceeded {
    pub fn message(self) -> Translated {
        match self {
            Self::TooMuchWork => Translated::new(
                "takes too much work to check against its schema; send less data or simplify the schema",
                "requiere demasiado trabajo para comprobarlo con su esquema; envíe menos datos o simplifique el esquema",
            ),
            Self::TooDeep => Translated::new(
                "is nested too deeply to be checked against its schema; nest less, or end the schema's recursion",
                "está demasiado anidado para comprobarlo con su esquema; anide menos, o ponga fin a la recursión del esquema",
            ),
        }
    }
}

#[derive(Debug)]
pub struct ValidationBudget {
    steps: usize,
    depth: usize,
    exceeded: Option<BudgetExceeded>,
}

impl Default for ValidationBudget {
    fn default() -> Self {
        Self { steps: MAX_STEPS, depth: MAX_DEPTH, exceeded: None }
    }
}

impl ValidationBudget {
    pub fn charge(&mut self, steps: usize) {
        match self.steps.checked_sub(steps) {
            Some(left) => self.steps = left,
            None => {
                self.steps = 0;
                self.exceeded.get_or_insert(BudgetExceeded::TooMuchWork);
            }
        }
    }

    pub fn charge_bytes(&mut self, bytes: usize) {
        self.charge(1 + bytes / BYTES_A_STEP);
    }

    /// Descends one level and returns whether to go on. Call [`Self::leave`] only if it returns true.
    pub fn enter(&mut self) -> bool {
        if self.depth == 0 {
            self.exceeded.get_or_insert(BudgetExceeded::TooDeep);
        }
        if self.exceeded.is_none() {
            self.depth -= 1;
        }
        self.exceeded.is_none()
    }

    pub fn leave(&mut self) {
        self.depth += 1;
    }

    pub fn exceeded(&self) -> Option<BudgetExceeded> {
        self.exceeded
    }

    #[cfg(test)]
    pub fn steps_used(&self) -> usize {
        MAX_STEPS - self.steps
    }
}
