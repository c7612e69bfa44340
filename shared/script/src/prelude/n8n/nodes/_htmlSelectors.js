// CSS selectors with the extensions of jQuery, for trees of `n8n.parseHtml`.
//
// A selector is computed from the left to the right, as sets of elements of the whole document. So its cost grows with the size
// of the document and not with the depth of its elements.
(function (n8n) {
  'use strict';

  const words = (text) => new Set(text.split(' '));

  // --- Parsing: a selector is a list of lists of steps {combinator, parts} ---

  const NAME = /(?:\\(?:[\da-fA-F]{1,6}\s?|[^])|[\w\-\u00b0-\uffff])+/y;
  const SPACE = /(?:\s|\/\*[^]*?\*\/)*/y;
  const VALUE = /"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'|((?:\\[^]|[^\s"'\]\\])+)/.source;
  const ATTRIBUTE = new RegExp(
    String.raw`\[\s*((?:\\[^]|[\w\-:\u00b0-\uffff])+)\s*(?:([~|^$*!]?=)\s*(?:${VALUE})(?:\s*([isIS]))?\s*)?\]`, 'y');
  const ESCAPE = /\\(?:([\da-fA-F]{1,6})\s?|([^]))/g;
  const unescape = (text) =>
    text.replace(ESCAPE, (_, hex, char) => (hex === undefined ? char : String.fromCodePoint(Number.parseInt(hex, 16))));
  // These take selectors as their arguments.
  const TAKES_SELECTORS = words('not is matches where has');
  const POSITIONS = words('first last eq nth gt lt even odd');

  const MAX_DEPTH = 20;

  const parse = (selector) => {
    let at = 0;
    let depth = 0;
    const take = (pattern) => {
      pattern.lastIndex = at;
      const found = pattern.exec(selector);
      if (found !== null) at = pattern.lastIndex;
      return found;
    };
    const takeName = () => {
      const found = take(NAME);
      if (found === null) throw new Error(`Expected name, found ${selector.slice(at)}`);
      return unescape(found[0]);
    };
    // A text in parentheses, which may have parentheses itself.
    const takeArgument = () => {
      const start = ++at;
      for (let depth = 1; ; at++) {
        if (at >= selector.length) throw new Error('Parenthesis not matched');
        const char = selector[at];
        if (char === '\\') at++;
        else if (char === '(') depth++;
        else if (char === ')' && --depth === 0) break;
      }
      return selector.slice(start, at++).trim();
    };
    const takePseudo = () => {
      at++;
      if (selector[at] === ':') throw new Error('Pseudo-elements are not supported.');
      const name = takeName().toLowerCase();
      if (TAKES_SELECTORS.has(name)) {
        if (selector[at] !== '(') throw new Error(`Pseudo-class :${name} requires an argument`);
        at++;
        if (++depth > MAX_DEPTH) throw new Error(`The selector is nested more than ${MAX_DEPTH} times.`);
        const selectors = takeList(name === 'has');
        depth--;
        take(SPACE);
        if (selector[at] !== ')') throw new Error(`Missing closing parenthesis in :${name} (${selector})`);
        at++;
        return { type: 'selectors', name, selectors };
      }
      if (selector[at] !== '(') return { type: 'pseudo', name, argument: null };
      const argument = takeArgument();
      const isQuoted = /^(["'])[^]*\1$/.test(argument) && argument.length > 1;
      return { type: 'pseudo', name, argument: isQuoted ? unescape(argument.slice(1, -1)) : argument };
    };
    const takePart = () => {
      switch (selector[at]) {
        case '*':
          at++;
          return { type: 'any' };
        case '#':
          at++;
          return { type: 'attribute', name: 'id', operator: '=', value: takeName() };
        case '.':
          at++;
          return { type: 'attribute', name: 'class', operator: '~=', value: takeName() };
        case '[': {
          const found = take(ATTRIBUTE);
          if (found === null) {
            at++;
            take(SPACE);
            throw new Error(takeName() && `Malformed attribute selector: ${selector}`);
          }
          const [, name, operator, double, single, bare, flag] = found;
          const value = operator === undefined ? undefined : unescape(double ?? single ?? bare);
          return { type: 'attribute', name: unescape(name).toLowerCase(), operator, value, flag: flag?.toLowerCase() };
        }
        case ':':
          return takePseudo();
        default: {
          const found = take(NAME);
          return found === null ? undefined : { type: 'tag', name: unescape(found[0]) };
        }
      }
    };
    // One selector without commas.
    const takeSteps = (isRelative) => {
      const steps = [];
      take(SPACE);
      let combinator = ' ';
      if (isRelative && '>+~'.includes(selector[at] ?? ' ')) {
        combinator = selector[at++];
        take(SPACE);
      }
      for (;;) {
        const parts = [];
        for (let part = takePart(); part !== undefined; part = takePart()) parts.push(part);
        if (parts.length === 0) {
          const isMissing = at >= selector.length || selector[at] === ',';
          throw new Error(isMissing ? 'Empty sub-selector' : `Unmatched selector: ${selector.slice(at)}`);
        }
        steps.push({ combinator, parts });
        const space = take(SPACE)[0];
        const next = selector[at];
        if (next === undefined || next === ',' || next === ')') return steps;
        if (next === '>' || next === '+' || next === '~') {
          combinator = next;
          at++;
          take(SPACE);
        } else if (space !== '') {
          combinator = ' ';
        } else {
          throw new Error(`Unmatched selector: ${selector.slice(at)}`);
        }
      }
    };
    const takeList = (isRelative) => {
      const list = [takeSteps(isRelative)];
      while (selector[at] === ',') {
        at++;
        list.push(takeSteps(isRelative));
      }
      return list;
    };
    const list = takeList(false);
    if (at < selector.length) throw new Error(`Unmatched selector: ${selector.slice(at)}`);
    return list;
  };

  // --- What is known about a document ---

  // The elements in their order, with their places among their siblings.
  const index = (root) => {
    if (root.elements !== undefined) return root.elements;
    const elements = [];
    n8n.walkHtml(root, (node) => {
      if (node.type === 'element') elements.push(node);
      if (node.children === undefined) return;
      const siblings = node.children.filter((child) => child.type === 'element');
      const counts = new Map();
      siblings.forEach((child, i) => {
        child.place = i + 1;
        child.siblings = siblings;
        child.placeOfType = (counts.get(child.name) ?? 0) + 1;
        child.countsOfType = counts;
        counts.set(child.name, child.placeOfType);
      });
    });
    root.elements = elements;
    return elements;
  };
  const before = (node) => node.siblings[node.place - 2];
  const isElement = (node) => node?.type === 'element';

  // The text of the whole document, and where the text of each element is in it.
  const textIndex = (root) => {
    if (root.texts !== undefined) return root.texts;
    const ranges = new Map();
    const pieces = [];
    let length = 0;
    const add = (piece) => {
      pieces.push(piece);
      length += piece.length;
    };
    n8n.walkHtml(root, (node) => {
      if (node.type === 'text') add(node.data);
      if (node.name === 'br') add('\n');
      ranges.set(node, [length - (node.name === 'br' ? 1 : 0), 0]);
    }, (node) => {
      ranges.get(node)[1] = length;
    });
    root.texts = { text: pieces.join(''), ranges };
    return root.texts;
  };
  const findContaining = (root, needle, ignoresCase) => {
    const { text, ranges } = textIndex(root);
    const haystack = ignoresCase ? text.toLowerCase() : text;
    const places = [];
    // A pattern does not count the whole text for each place, as `indexOf` does.
    const pattern = new RegExp(needle.replace(/[^\w\s]/gu, '\\$&'), 'g');
    for (let found = needle === '' ? null : pattern.exec(haystack); found !== null; found = pattern.exec(haystack)) {
      places.push(found.index);
      pattern.lastIndex = found.index + 1;
    }
    const hasAt = (start, end) => {
      let low = 0;
      let high = places.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (places[middle] < start) low = middle + 1;
        else high = middle;
      }
      return low < places.length && places[low] + needle.length <= end;
    };
    return (node) => needle === '' || hasAt(...ranges.get(node));
  };

  // --- Tests of one element ---

  // The values of these attributes are compared without case.
  const CASELESS = words('accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer dir ' +
    'direction disabled enctype face frame hreflang http-equiv lang language link media method multiple nohref noresize noshade nowrap ' +
    'readonly rel rev rules scope scrolling selected shape target text type valign valuetype vlink');
  const COMPARE = {
    __proto__: null,
    '=': (value, wanted) => value === wanted,
    '~=': (value, wanted) => wanted !== '' && !/\s/.test(wanted) && value.split(/[\t\n\f\r ]+/).includes(wanted),
    '|=': (value, wanted) => value === wanted || value.startsWith(wanted + '-'),
    '^=': (value, wanted) => wanted !== '' && value.startsWith(wanted),
    '$=': (value, wanted) => wanted !== '' && value.endsWith(wanted),
    '*=': (value, wanted) => wanted !== '' && value.includes(wanted),
  };
  const has = (node, name) => Object.hasOwn(node.attributes, name);
  const testAttribute = ({ name, operator, value, flag }) => {
    if (operator === undefined) return (node) => has(node, name);
    const isCaseless = flag === 'i' || (flag !== 's' && CASELESS.has(name));
    const fold = isCaseless ? (text) => text.toLowerCase() : (text) => text;
    const wanted = fold(value);
    if (operator === '!=') return (node) => !has(node, name) || fold(node.attributes[name]) !== wanted;
    const compare = COMPARE[operator];
    return (node) => has(node, name) && compare(fold(node.attributes[name]), wanted);
  };

  const parseFormula = (formula) => {
    const text = formula.toLowerCase().replace(/\s/g, '');
    if (text === 'even') return [2, 0];
    if (text === 'odd') return [2, 1];
    const found = /^([+-]?\d*)n([+-]\d+)?$|^([+-]?\d+)$/.exec(text);
    if (found === null) throw new Error(`n-th rule couldn't be parsed ('${formula}')`);
    if (found[3] !== undefined) return [0, Number(found[3])];
    const step = found[1] === '' || found[1] === '+' ? 1 : found[1] === '-' ? -1 : Number(found[1]);
    return [step, Number(found[2] ?? 0)];
  };
  const nth = (readPlace) => (argument) => {
    const [step, offset] = parseFormula(argument ?? '');
    return (node) => {
      const distance = readPlace(node) - offset;
      return step === 0 ? distance === 0 : distance / step >= 0 && distance % step === 0;
    };
  };
  const place = (node) => node.place;
  const placeFromEnd = (node) => node.siblings.length - node.place + 1;
  const placeOfType = (node) => node.placeOfType;
  const placeOfTypeFromEnd = (node) => node.countsOfType.get(node.name) - node.placeOfType + 1;
  const isNamed = (...names) => (node) => names.includes(node.name);
  const isInput = (...types) => (node) => node.name === 'input' && types.includes((node.attributes.type ?? '').toLowerCase());
  const isEmpty = (node) => node.children.every((child) => child.type !== 'element' && (child.data === '' || child.type === 'comment'));
  const isSelected = (node) => {
    if (node.name !== 'option') return false;
    if (has(node, 'selected')) return true;
    const { parent } = node;
    if (parent.name !== 'select' || has(parent, 'multiple')) return false;
    // Without a choice, the first option is selected.
    return node.placeOfType === 1 && !parent.children.some((child) => child.name === 'option' && has(child, 'selected'));
  };
  const isDisabled = (node) => {
    if (['button', 'input', 'select', 'textarea', 'optgroup', 'option'].includes(node.name) && has(node, 'disabled')) return true;
    if (node.name === 'fieldset' && has(node, 'disabled')) return true;
    return node.name === 'option' && node.parent.name === 'optgroup' && has(node.parent, 'disabled');
  };
  const isRequired = (node) => isNamed('input', 'select', 'textarea')(node) && has(node, 'required');
  const ofType = (type) => (node) => (node.attributes.type ?? '').toLowerCase() === type;
  const TESTS = {
    __proto__: null,
    'first-child': (node) => node.place === 1, 'last-child': (node) => placeFromEnd(node) === 1,
    'only-child': (node) => node.siblings.length === 1,
    'first-of-type': (node) => node.placeOfType === 1, 'last-of-type': (node) => placeOfTypeFromEnd(node) === 1,
    'only-of-type': (node) => node.countsOfType.get(node.name) === 1,
    empty: isEmpty, parent: (node) => !isEmpty(node), root: (node) => !isElement(node.parent), scope: (node) => !isElement(node.parent),
    header: isNamed('h1', 'h2', 'h3', 'h4', 'h5', 'h6'), input: isNamed('input', 'textarea', 'select', 'button'),
    button: (node) => node.name === 'button' || isInput('button')(node),
    text: (node) => node.name === 'input' && (!has(node, 'type') || isInput('', 'text')(node)),
    checkbox: ofType('checkbox'), file: ofType('file'), password: ofType('password'), radio: ofType('radio'), reset: ofType('reset'),
    image: ofType('image'), submit: ofType('submit'),
    checked: (node) => (isInput('radio', 'checkbox')(node) && has(node, 'checked')) || isSelected(node),
    selected: isSelected, disabled: isDisabled, enabled: (node) => !isDisabled(node),
    required: isRequired, optional: (node) => isNamed('input', 'select', 'textarea')(node) && !has(node, 'required'),
    link: (node) => isNamed('a', 'area', 'link')(node) && has(node, 'href'),
    hover: () => false, visited: () => false, active: () => false,
  };
  TESTS['any-link'] = TESTS.link;
  const TESTS_WITH_ARGUMENT = {
    __proto__: null,
    'nth-child': nth(place), 'nth-last-child': nth(placeFromEnd),
    'nth-of-type': nth(placeOfType), 'nth-last-of-type': nth(placeOfTypeFromEnd),
    contains: (argument, root) => findContaining(root, argument ?? '', false),
    icontains: (argument, root) => findContaining(root, (argument ?? '').toLowerCase(), true),
  };

  // --- Sets of elements ---

  const isPosition = (part) =>
    (part.type === 'pseudo' && POSITIONS.has(part.name)) ||
    (part.type === 'selectors' && part.name === 'not' && part.selectors.some((steps) => steps.some((step) => step.parts.some(isPosition))));
  const choose = (nodes, { name, argument }) => {
    const number = Number.parseInt(argument, 10);
    switch (name) {
      case 'first': return nodes.slice(0, 1);
      case 'last': return nodes.slice(-1);
      case 'eq':
      // The first element cannot be counted from the end, and a negative number does not limit anything.
      case 'nth': return Math.abs(number) < nodes.length ? [nodes.at(number)] : [];
      case 'lt': return Number.isNaN(number) ? [] : nodes.slice(0, number < 0 ? undefined : number);
      case 'gt': return Number.isNaN(number) ? [] : nodes.slice(number + 1);
      case 'even': return nodes.filter((_, i) => i % 2 === 0);
      default: return nodes.filter((_, i) => i % 2 === 1);
    }
  };
  const testPart = (part, root) => {
    switch (part.type) {
      case 'any': return () => true;
      case 'tag': {
        const name = part.name.toLowerCase();
        return (node) => node.name === name || node.name === part.name;
      }
      case 'attribute': return testAttribute(part);
      case 'selectors': return testSelectors(part, root);
      default: {
        const { name, argument } = part;
        if (TESTS[name] !== undefined && argument === null) return TESTS[name];
        if (TESTS_WITH_ARGUMENT[name] === undefined) throw new Error(`Unknown pseudo-class :${name}`);
        return TESTS_WITH_ARGUMENT[name](argument, root);
      }
    }
  };
  const testSelectors = ({ name, selectors }, root) => {
    if (name === 'has') {
      const sets = selectors.map((steps) => findHaving(steps, root));
      return (node) => sets.some((set) => set.has(node));
    }
    const found = new Set(selectAll(selectors, root));
    return name === 'not' ? (node) => !found.has(node) : (node) => found.has(node);
  };
  const applyParts = (nodes, parts, root) => {
    let rest = nodes;
    for (const part of parts) {
      if (!isPosition(part)) {
        rest = rest.filter(testPart(part, root));
      } else if (part.type === 'pseudo') {
        rest = choose(rest, part);
      } else {
        // The positions in `:not` are those among the elements found so far.
        const excluded = new Set(part.selectors.flatMap((steps) => applyParts(rest, steps.at(-1).parts, root)));
        rest = rest.filter((node) => !excluded.has(node));
      }
    }
    return rest;
  };
  // The elements that stand in the relation to one of the set, in the order of the document.
  const follow = (combinator, set, root) => {
    const elements = index(root);
    if (combinator === '>') return elements.filter((node) => set.has(node.parent));
    if (combinator === '+') return elements.filter((node) => set.has(before(node)));
    const reached = new Set();
    if (combinator === '~') {
      return elements.filter((node) => {
        const isAfter = reached.has(node.siblings);
        if (set.has(node)) reached.add(node.siblings);
        return isAfter;
      });
    }
    return elements.filter((node) => {
      const isInside = set.has(node.parent) || reached.has(node.parent);
      if (isInside) reached.add(node);
      return isInside;
    });
  };
  // The elements that have one of the set in the relation.
  const precede = (combinator, set) => {
    const found = new Set();
    const ends = new Map();
    for (const node of set) {
      if (combinator === '>') found.add(node.parent);
      else if (combinator === '+') found.add(before(node));
      else if (combinator === '~') ends.set(node.siblings, Math.max(node.place, ends.get(node.siblings) ?? 0));
      else for (let above = node.parent; isElement(above) && !found.has(above); above = above.parent) found.add(above);
    }
    for (const [siblings, end] of ends) for (let i = 0; i < end - 1; i++) found.add(siblings[i]);
    return found;
  };
  const findHaving = (steps, root) => {
    // As in jQuery, only the last step of "a b" must be inside the element.
    if (steps[0].combinator === ' ') return precede(' ', new Set(selectOne(steps, root)));
    let set = new Set(index(root));
    for (let i = steps.length - 1; i >= 0; i--) {
      const candidates = index(root).filter((node) => set.has(node));
      set = precede(steps[i].combinator, applyParts(candidates, steps[i].parts, root));
    }
    return set;
  };
  const selectOne = (steps, root) => {
    let nodes = index(root);
    steps.forEach(({ combinator, parts }, i) => {
      nodes = applyParts(i === 0 ? nodes : follow(combinator, new Set(nodes), root), parts, root);
    });
    return nodes;
  };
  const selectAll = (list, root) => {
    if (list.length === 1) return selectOne(list[0], root);
    const found = new Set(list.flatMap((steps) => selectOne(steps, root)));
    return index(root).filter((node) => found.has(node));
  };

  /** The elements of a document that a selector matches, in their order. */
  n8n.selectHtml = (root, selector) => {
    const trimmed = String(selector).trim();
    return trimmed === '' ? [] : selectAll(parse(trimmed), root);
  };
})
