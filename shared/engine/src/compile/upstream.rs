//! What comes before what.

use super::Plan;

/// A set of steps, a bit each.
#[derive(Clone, Default)]
pub struct Steps(Vec<u64>);

impl Steps {
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

/// All from which a way leads to each step, by the edges that count: to the step itself where it stands in a circle. A
/// loop's body does not come before what follows the loop: it was run as often as there were elements.
pub fn upstream(plan: &Plan, counts: impl Fn(usize) -> bool) -> Vec<Steps> {
    let count = plan.steps.len();
    let mut upstream = vec![Steps(vec![0; count.div_ceil(64)]); count];
    let mut gather = |step: usize| {
        let mut own = std::mem::take(&mut upstream[step]);
        let known = own.clone();
        for &edge in plan.steps[step].incoming.iter().filter(|edge| counts(**edge) && !plan.is_back(**edge)) {
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
    // In circles and behind them, until there is nothing new.
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
