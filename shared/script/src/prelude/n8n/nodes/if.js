// n8n's nodes "If" and "Filter".
(function (n8n) {
  'use strict';

  /** Splits the items by their conditions. An item whose conditions fail does not fulfil them. */
  const divide = (parameters, holds) => {
    const read = n8n.reader(parameters);
    const kept = [];
    const others = [];
    const reject = (item) => {
      others.push(item);
      return [];
    };
    n8n.attemptEach((item, index) => {
      (holds(read(index), index) ? kept : others).push(item);
      return [];
    }, reject);
    return [kept, others];
  };
  const byFilter = ({ conditions = {} }, index) => n8n.holds(conditions, index);

  n8n.if = (parameters, version) => {
    const old = ({ conditions, combineOperation }) => n8n.holdsOld(conditions, combineOperation === 'any');
    const [kept, others] = divide(parameters, version < 2 ? old : byFilter);
    return { true: kept, false: others };
  };

  n8n.filter = (parameters, version) => {
    const old = ({ conditions, combineConditions }) => n8n.holdsOld(conditions, combineConditions === 'OR');
    return divide(parameters, version < 2 ? old : byFilter)[0];
  };
})
