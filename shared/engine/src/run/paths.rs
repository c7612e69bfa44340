//! Where a step runs: in the graph itself, or in an iteration of a loop, which may be in an iteration of another loop.
//! The calls of an agent are steps inside of its step.

use crate::compile::ExecutionPlan;
use crate::nodes::redaction::Redaction;

/// One iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Iteration {
    pub loop_step: usize,
    pub index: usize,
}

/// The iterations that enclose a step, outermost first. The graph itself has none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopePath(Vec<Iteration>);

impl ScopePath {
    /// The loop whose iteration this is; none for the graph itself.
    pub fn loop_step(&self) -> Option<usize> {
        self.0.last().map(|iteration| iteration.loop_step)
    }

    pub fn iteration(&self, loop_step: usize, index: usize) -> Self {
        let mut iterations = self.0.clone();
        iterations.push(Iteration { loop_step, index });
        Self(iterations)
    }

    /// The enclosing scope, and this scope's iteration in it; none for the graph itself.
    pub fn parent(&self) -> Option<(Self, Iteration)> {
        let (iteration, parents) = self.0.split_last()?;
        Some((Self(parents.to_vec()), *iteration))
    }

    pub fn is_within(&self, outer: &Self) -> bool {
        self.0.starts_with(&outer.0)
    }
}

/// The path of a step in a run. It identifies one execution, because a step runs once in each scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StepPath {
    pub scope: ScopePath,
    pub step: usize,
    /// The number of the call, if this is a call of the agent in the step.
    pub call: Option<usize>,
}

impl StepPath {
    pub fn new(scope: &ScopePath, step: usize) -> Self {
        Self { scope: scope.clone(), step, call: None }
    }

    /// Whether the step runs in its own iteration: it is one element of a node with `each`.
    pub fn is_element(&self) -> bool {
        self.scope.loop_step() == Some(self.step)
    }

    /// A call of the agent in this step.
    pub fn with_call(&self, number: usize) -> Self {
        Self { call: Some(number), ..self.clone() }
    }

    /// The step itself, if this is a call of its agent.
    pub fn without_call(&self) -> Self {
        Self { call: None, ..self.clone() }
    }

    /// The step, and the loops around it, the outermost last.
    pub fn with_enclosing(&self) -> Vec<Self> {
        let mut steps = vec![self.clone()];
        let mut scope = self.scope.clone();
        while let Some((parent, iteration)) = scope.parent() {
            steps.push(Self::new(&parent, iteration.loop_step));
            scope = parent;
        }
        steps
    }

    /// The path with node ids: `lines[2]/send`, `send[2]/send` for an element of a node with `each`, or `ask[0]` for a call of an
    /// agent.
    pub fn display(&self, plan: &ExecutionPlan) -> String {
        let iterations = self.scope.0.iter();
        let scopes =
            iterations.map(|iteration| format!("{}[{}]/", plan.steps[iteration.loop_step].id, iteration.index));
        let call = self.call.map(|number| format!("[{number}]")).unwrap_or_default();
        scopes.collect::<String>() + &plan.steps[self.step].id + &call
    }

    /// Reads what [`StepPath::display`] writes; none if the plan has no such step.
    pub fn parse(text: &str, plan: &ExecutionPlan) -> Option<Self> {
        let numbered = |part: &str| {
            let (id, number) = part.strip_suffix(']')?.split_once('[')?;
            Some((plan.find_step(id)?, number.parse().ok()?))
        };
        let mut parts = text.split('/');
        let last = parts.next_back()?;
        let (step, call) = match plan.find_step(last) {
            Some(step) => (step, None),
            None => numbered(last).map(|(step, number)| (step, Some(number)))?,
        };
        let iteration = |part: &str| numbered(part).map(|(loop_step, index)| Iteration { loop_step, index });
        Some(Self { scope: ScopePath(parts.map(iteration).collect::<Option<_>>()?), step, call })
    }
}

impl ExecutionPlan {
    /// Whether a step runs a body for each element of a list: a node `loop`, or a node with `each` outside of its iterations.
    pub fn is_loop(&self, path: &StepPath) -> bool {
        self.steps[path.step].node_type.is_loop || self.is_list(path)
    }

    /// Whether a step is all elements of a node with `each`.
    pub fn is_list(&self, path: &StepPath) -> bool {
        self.steps[path.step].each.is_some() && !path.is_element()
    }

    /// The parts of a step's values that are masked.
    pub fn redaction(&self, path: &StepPath) -> &Redaction {
        let step = &self.steps[path.step];
        let list = step.each.as_ref().filter(|_| !path.is_element());
        list.map_or(&step.redaction, |each| &each.redaction)
    }
}
