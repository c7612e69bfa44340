// The steps of both flows, as the services of Restate and DBOS perform them.

// The pure steps are the nodes of Atelier's workflow: accept, transform, check, render, answer.
const accept = ({ name, lines }) => ({ name, lines });
const addUp = ({ name, lines }) => ({ name, total: lines.reduce((sum, line) => sum + line, 0) });
const check = (bill) => {
  if (bill.total > 10) return bill;
  throw new Error("the total is too low");
};
const render = ({ name, total }) => ({ text: `${name} owes ${total}` });
const answer = ({ text }) => text;

const STEPS_URL = process.env.STEPS_URL;

const call = async ({ value }) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(STEPS_URL, { method: "POST", headers, body: JSON.stringify({ value }) });
  if (!response.ok) throw new Error(`the call answered ${response.status}`);
  return await response.json();
};

// Each flow takes its input and the function that performs a step: it records the step, or only executes it.
export const flows = {
  pure: async (input, step) => {
    let value = input;
    for (const [name, execute] of Object.entries({ accept, addUp, check, render, answer })) {
      const before = value;
      value = await step(name, () => execute(before));
    }
    return value;
  },
  calls: async (input, step) => {
    let value = { value: addUp(input).total };
    for (const name of ["call1", "call2", "call3", "call4", "call5"]) {
      const before = value;
      value = await step(name, () => call(before));
    }
    return `The total is ${value.value}`;
  },
};
