//! Computes the upstream steps of each step (transitive closure of the edges).

use super::ExecutionPlan;

/// A bit set of steps.
#[derive(Clone, Default)]
pub struct StepSet(Vec<u64>);

impl StepSet {
    pub fn has(&self, step: usize) -> bool {
        self.0[step / 64] & (1 << (step % 64)) != 0
    }

    fn add(&mut self, step: usize) {
        self.0[step / 64] |= 1 << (step % 64);
    }

    fn add_all(&mut self, others: &Self) {
        self.0.iter_mut().zip(&others.0).for_each(|(bits, others)| *bits |= others);
    }
}

/// Returns the steps from which each step can be reached over the edges for which `counts` is true. A step in a cycle
/// is upstream of itself.
///
/// The body of a loop is not upstream of the steps after the loop, because it ran once per element.
pub fn upstream(plan: &ExecutionPlan, counts: impl Fn(usize) -> bool) -> Vec<StepSet> {
    let count = plan.steps.len();
    let mut upstream = vec![StepSet(vec![0; count.div_ceil(64)]); count];
    let mut gather = |step: usize| {
        let mut own = std::mem::take(&mut upstream[step]);
        let known = own.clone();
        for edge in plan.inputs_of(step).filter(|edge| counts(*edge)) {
            let from = plan.edges[edge].from;
            own.add(from);
            own.add_all(&upstream[from]);
        }
        let grew = own.0 != known.0;
        upstream[step] = own;
        grew
    };
    let mut ordered = vec![false; count];
    for &step in &plan.order {
        ordered[step] = true;
        gather(step);
    }
    // Steps in cycles and after them are repeated until nothing changes.
    let rest: Vec<usize> = (0..count).filter(|step| !ordered[*step]).collect();
    let mut grows = !rest.is_empty();
    while grows {
        grows = false;
        for &step in &rest {
            grows |= gather(step);
        }
    }
    upstream
}
