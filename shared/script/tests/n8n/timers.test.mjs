import assert from 'node:assert/strict';
import test from 'node:test';
import { n8n } from './load.mjs';

test('timers end in the order of their times, without waiting', () => {
  const scope = {};
  n8n.showTimers(scope);
  const order = [];
  scope.setTimeout((name) => order.push(name), 20, 'late');
  scope.setTimeout(() => scope.setTimeout(() => order.push('later'), 10), 15);
  scope.setTimeout(() => order.push('first'));
  scope.clearTimeout(scope.setTimeout(() => order.push('never'), 1));
  while (n8n.endTimer());
  assert.deepEqual(order, ['first', 'late', 'later']);
  assert.throws(() => scope.setTimeout('order.push(1)'), TypeError);
});
