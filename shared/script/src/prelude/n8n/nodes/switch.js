// n8n's node "Switch". Its ports are "0", "1" … in the order of the rules, and "fallback".
(function (n8n) {
  'use strict';

  const emptyPorts = (count) => {
    const ports = {};
    for (let i = 0; i < count; i++) ports[i] = [];
    return ports;
  };

  /** Adds an item to the port with an index. The typo in the message is n8n's. */
  const send = (ports, count, port, item, range) => {
    if (port < 0 || port >= count) throw new Error(`The ouput ${port} is not allowed` + range);
    if (!Object.hasOwn(ports, port)) throw new TypeError("Cannot read properties of undefined (reading 'push')");
    ports[port].push(item);
  };

  /** Routes each item. If the node goes on after an error, the first port gets an item with only the message. */
  const routeEach = (ports, work) => {
    const recover = (item, error, fail) => {
      const failed = { json: { error: n8n.describeError(error) } };
      if (fail) fail(failed);
      else ports[0].push(failed);
      return [];
    };
    n8n.attemptEach((item, index) => {
      work(item, index);
      return [];
    }, recover);
    return ports;
  };

  const byExpression = (output, count, readPort, range) => {
    const ports = emptyPorts(count);
    return routeEach(ports, (item, index) => send(ports, count, readPort(output(index), index), item, range));
  };

  /** Versions 1 and 2: rules that compare the same value. The port of version 1 is a part of the rule. */
  const oldSwitch = (parameters, version) => {
    const { mode = 'rules', outputsAmount = 4, dataType = 'number' } = parameters;
    const rules = parameters.rules?.rules ?? [];
    const count = version === 1 ? 4 : mode === 'expression' ? n8n.read(outputsAmount, 0) : rules.length;
    const range = `. It has to be between 0 and ${count - 1}!`;
    if (mode === 'expression') return byExpression(n8n.reader(parameters.output ?? 0), count, (port) => port, range);

    const ports = emptyPorts(count);
    const readers = rules.map((rule) => n8n.reader(rule));
    const value1 = n8n.reader('value1' in parameters ? { value1: parameters.value1 } : {});
    const missing = dataType === 'dateTime' ? 0 : undefined;
    const fallback = n8n.reader(parameters.fallbackOutput, -1);
    return routeEach(ports, (item, index) => {
      const left = n8n.oldValue(dataType, value1(index));
      for (let i = 0; i < readers.length; i++) {
        const rule = readers[i](index);
        if (!n8n.compareOld(dataType, left, rule, missing)) continue;
        send(ports, count, version === 1 ? rule.output ?? 0 : i, item, range);
        return;
      }
      const port = fallback(index);
      if (port !== -1) send(ports, count, port, item, range);
    });
  };

  const toPort = (value, index) => {
    if (value === null || value === undefined) return value;
    const number = n8n.convert('number', value);
    if (number === n8n.FAILED) throw new Error(`Invalid input for 'Output Index' [item ${index}]`);
    return number;
  };

  const route = (parameters, version) => {
    if (version < 3) return oldSwitch(parameters, version);
    if (parameters.mode === 'expression') {
      return byExpression(n8n.reader(parameters.output), n8n.read(parameters.numberOutputs ?? 4, 0), toPort, '');
    }

    const rules = (parameters.rules?.values ?? []).map((rule) => n8n.reader(rule.conditions ?? {}));
    const options = n8n.reader(parameters.options, {});
    const ports = emptyPorts(rules.length);
    ports.fallback = [];
    return routeEach(ports, (item, index) => {
      const { fallbackOutput = 'none', allMatchingOutputs = false } = options(index);
      let found = false;
      for (let i = 0; i < rules.length && (allMatchingOutputs || !found); i++) {
        if (!n8n.holds(rules[i](index), index)) continue;
        found = true;
        ports[i].push(item);
      }
      if (found || fallbackOutput === 'none') return;
      if (fallbackOutput === 'extra') ports.fallback.push(item);
      else send(ports, rules.length, fallbackOutput, item, '');
    });
  };

  // Ports without items are left out: the node may not have them all.
  n8n.switch = (parameters, version) =>
    Object.fromEntries(Object.entries(route(parameters, version)).filter(([, items]) => items.length > 0));
})
