// Builds the tree of an HTML document by the rules of the HTML standard, so that selectors see what they see in a browser:
// the elements that are implied, the ends that are left out, and what is misplaced in tables.
//
// Left out are frames, the contents of `template` apart from the document, and the names of SVG that have capital letters in
// selectors. Trees are at most 256 elements deep, and at most 32 formatting elements are opened again.
(function (n8n) {
  'use strict';

  const words = (text) => new Set(text.split(' '));
  const HEAD = words('base basefont bgsound link meta noframes script style template title');
  const VOID = words('area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr');
  const BLOCKS = words('address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header ' +
    'hgroup main menu nav ol p section summary ul');
  const CLOSABLE = new Set([...BLOCKS, 'listing', 'pre']);
  CLOSABLE.delete('p');
  const HEADINGS = words('h1 h2 h3 h4 h5 h6');
  const FORMATTING = words('a b big code em font i nobr s small strike strong tt u');
  const IMPLIED_END = words('dd dt li optgroup option p rb rp rt rtc');
  const SPECIAL = words('address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup ' +
    'dd details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html ' +
    'iframe img input li link listing main marquee menu meta nav noembed noframes noscript object ol p param plaintext pre script ' +
    'section select source style summary table tbody td template textarea tfoot th thead title tr track ul wbr xmp');
  const SCOPE = words('applet caption html table td th marquee object template');
  const LIST_SCOPE = new Set([...SCOPE, 'ol', 'ul']);
  const BUTTON_SCOPE = new Set([...SCOPE, 'button']);
  const TABLE_SCOPE = words('html table template');
  const TABLE_PARTS = words('caption col colgroup tbody td tfoot th thead tr');
  const FOSTERING = words('table tbody tfoot thead tr');
  const SECTIONS = words('tbody tfoot thead');
  // These tags end SVG and MathML.
  const BREAKOUT = words('b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta ' +
    'nobr ol p pre ruby s small span strong strike sub sup table tt u ul var');
  // In these elements of SVG and MathML the rules are those of HTML again.
  const INTEGRATION = { svg: words('foreignObject desc title'), math: words('mi mo mn ms mtext annotation-xml') };
  const isIntegration = (node) => INTEGRATION[node.isForeign].has(node.name);
  // The names of SVG with capital letters.
  const CAMEL = 'altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend feColorMatrix ' +
    'feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feFlood feFuncA feFuncB feFuncG ' +
    'feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile ' +
    'feTurbulence foreignObject glyphRef linearGradient radialGradient textPath';
  const CAMEL_ATTRIBUTES = 'attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant edgeMode ' +
    'filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength keyPoints keySplines keyTimes lengthAdjust ' +
    'limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits numOctaves pathLength patternContentUnits ' +
    'patternTransform patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits refX refY repeatCount ' +
    'repeatDur requiredExtensions requiredFeatures specularConstant specularExponent spreadMethod startOffset stdDeviation stitchTiles ' +
    'surfaceScale systemLanguage tableValues targetX targetY textLength viewBox viewTarget xChannelSelector yChannelSelector zoomAndPan';
  const lower = (text) => ({ __proto__: null, ...Object.fromEntries(text.split(' ').map((name) => [name.toLowerCase(), name])) });
  const MAX_DEPTH = 256;
  const MAX_FORMATTING = 32;
  const MARKER = Symbol('marker');

  let camel;
  const adjust = (kind, name, attributes) => {
    if (kind !== 'svg') return [name, attributes];
    camel ??= { names: lower(CAMEL), attributes: lower(CAMEL_ATTRIBUTES) };
    const renamed = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [camel.attributes[key] ?? key, value]));
    return [camel.names[name] ?? name, renamed];
  };

  const isTablePart = (name) => name === 'table' || (TABLE_PARTS.has(name) && !name.startsWith('col'));
  const isBlank = (text) => /^[\t\n\f\r ]*$/.test(text);

  class Builder {
    constructor() {
      this.document = { type: 'root', name: '#root', children: [], parent: null };
      this.open = [];
      this.formatting = [];
      this.mode = 'initial';
      this.form = null;
      this.head = null;
      // The modes in which the open templates began.
      this.templates = [];
      this.isQuirky = true;
      this.skipsNewline = false;
      this.isSelfClosing = false;
      this.fosters = false;
    }

    // --- The tree ---

    get current() {
      return this.open.at(-1) ?? this.document;
    }
    // `isForeign` is 'svg' or 'math' for their elements.
    create(name, attributes, isForeign) {
      return { type: 'element', name, attributes, children: [], parent: null, isForeign };
    }
    append(parent, node) {
      node.parent = parent;
      parent.children.push(node);
    }
    // The parent and the place of a new node. What does not belong into a table comes before it.
    place(target = this.current) {
      if (!this.fosters || !FOSTERING.has(target.name)) return [target, target.children.length];
      const index = this.open.findLastIndex((node) => node.name === 'table');
      const table = this.open[index];
      if (table === undefined) return [this.open[0], this.open[0].children.length];
      if (table.parent === null) return [this.open[index - 1], this.open[index - 1].children.length];
      return [table.parent, table.parent.children.lastIndexOf(table)];
    }
    attach(node, target) {
      const [parent, index] = this.place(target);
      node.parent = parent;
      if (index === parent.children.length) parent.children.push(node);
      else parent.children.splice(index, 0, node);
    }
    detach(node) {
      const { parent } = node;
      if (parent === null) return;
      parent.children.splice(parent.children.lastIndexOf(node), 1);
      node.parent = null;
    }
    insert(name, attributes = {}, isForeign = false) {
      const node = this.create(name, attributes, isForeign);
      this.attach(node);
      if (this.open.length < MAX_DEPTH) this.open.push(node);
      return node;
    }
    insertVoid(name, attributes) {
      this.attach(this.create(name, attributes, false));
    }
    insertText(text) {
      const [parent, index] = this.place();
      const before = parent.children[index - 1];
      if (before?.type === 'text') before.data += text;
      else parent.children.splice(index, 0, { type: 'text', data: text, parent });
    }
    insertComment(text, parent = this.current) {
      this.append(parent, { type: 'comment', data: text, parent });
    }

    // --- The stack of open elements ---

    isOpen(name) {
      return this.open.some((node) => node.name === name);
    }
    hasInScope(names, scope = SCOPE) {
      for (let i = this.open.length - 1; i >= 0; i--) {
        const node = this.open[i];
        if (typeof names === 'string' ? node.name === names : names.has(node.name)) return true;
        if (node.isForeign ? isIntegration(node) : scope.has(node.name)) return false;
      }
      return false;
    }
    popUntil(name) {
      while (this.open.length > 0) {
        const node = this.open.pop();
        if (typeof name === 'string' ? node.name === name : name.has(node.name)) return;
      }
    }
    popTo(node) {
      while (this.open.length > 0 && this.open.pop() !== node);
    }
    // Pops until the current node is one of these.
    clearTo(...names) {
      while (this.open.length > 1 && !names.includes(this.current.name)) this.open.pop();
    }
    implyEnds(except) {
      while (IMPLIED_END.has(this.current.name) && this.current.name !== except) this.open.pop();
    }
    closeP() {
      if (!this.hasInScope('p', BUTTON_SCOPE)) return;
      this.implyEnds('p');
      this.popUntil('p');
    }
    resetMode() {
      const MODES = { select: 'inSelect', td: 'inCell', th: 'inCell', tr: 'inRow', tbody: 'inTableBody', tfoot: 'inTableBody',
        thead: 'inTableBody', caption: 'inCaption', colgroup: 'inColumns', table: 'inTable', body: 'inBody' };
      for (let i = this.open.length - 1; i >= 0; i--) {
        const mode = MODES[this.open[i].name];
        if (mode !== undefined) {
          this.mode = mode;
          return;
        }
      }
      this.mode = 'inBody';
    }

    // --- Formatting elements, such as `b`, which go on after the end of their parents ---

    pushFormatting(node) {
      let same = 0;
      for (let i = this.formatting.length - 1; i >= 0 && this.formatting[i] !== MARKER; i--) {
        const other = this.formatting[i];
        if (other.name === node.name && JSON.stringify(other.attributes) === JSON.stringify(node.attributes) && ++same === 3) {
          this.formatting.splice(i, 1);
          break;
        }
      }
      this.formatting.push(node);
      if (this.formatting.length > MAX_FORMATTING) this.formatting.shift();
    }
    clearFormatting() {
      while (this.formatting.length > 0 && this.formatting.pop() !== MARKER);
    }
    findFormatting(name) {
      for (let i = this.formatting.length - 1; i >= 0 && this.formatting[i] !== MARKER; i--) {
        if (this.formatting[i].name === name) return this.formatting[i];
      }
      return undefined;
    }
    reconstruct() {
      let i = this.formatting.length - 1;
      const isDone = (entry) => entry === MARKER || this.open.includes(entry);
      if (i < 0 || isDone(this.formatting[i])) return;
      while (i > 0 && !isDone(this.formatting[i - 1])) i--;
      for (; i < this.formatting.length; i++) {
        const { name, attributes } = this.formatting[i];
        this.formatting[i] = this.insert(name, { ...attributes });
      }
    }
    // The "adoption agency" of the standard: ends a formatting element whose contents are not nested properly.
    adopt(name) {
      if (this.current.name === name && !this.formatting.includes(this.current)) {
        this.open.pop();
        return;
      }
      for (let outer = 0; outer < 8; outer++) {
        const element = this.findFormatting(name);
        if (element === undefined) return this.endOther(name);
        const index = this.open.indexOf(element);
        if (index < 0) {
          this.formatting.splice(this.formatting.indexOf(element), 1);
          return;
        }
        if (!this.hasInScope(name)) return;
        const furthest = this.open.find((node, i) => i > index && SPECIAL.has(node.name));
        if (furthest === undefined) {
          this.popTo(element);
          this.formatting.splice(this.formatting.indexOf(element), 1);
          return;
        }
        this.moveOut(element, furthest, index);
      }
    }
    moveOut(element, furthest, index) {
      const ancestor = this.open[index - 1];
      let bookmark = this.formatting.indexOf(element);
      let last = furthest;
      let at = this.open.indexOf(furthest);
      for (let inner = 1; ; inner++) {
        const node = this.open[--at];
        if (node === element) break;
        let place = this.formatting.indexOf(node);
        if (inner > 3 && place >= 0) {
          this.formatting.splice(place, 1);
          if (place < bookmark) bookmark--;
          place = -1;
        }
        if (place < 0) {
          this.open.splice(at, 1);
          continue;
        }
        const copy = this.create(node.name, { ...node.attributes }, false);
        this.formatting[place] = copy;
        this.open[at] = copy;
        if (last === furthest) bookmark = place + 1;
        this.detach(last);
        this.append(copy, last);
        last = copy;
      }
      this.detach(last);
      const { fosters } = this;
      this.fosters = FOSTERING.has(ancestor.name);
      this.attach(last, ancestor);
      this.fosters = fosters;
      const copy = this.create(element.name, { ...element.attributes }, false);
      copy.children = furthest.children;
      for (const child of copy.children) child.parent = copy;
      furthest.children = [];
      this.append(furthest, copy);
      const old = this.formatting.indexOf(element);
      this.formatting.splice(old, 1);
      this.formatting.splice(old < bookmark ? bookmark - 1 : bookmark, 0, copy);
      this.open.splice(this.open.indexOf(element), 1);
      this.open.splice(this.open.indexOf(furthest) + 1, 0, copy);
    }
    endOther(name) {
      for (let i = this.open.length - 1; i >= 0; i--) {
        const node = this.open[i];
        if (node.name === name) {
          this.implyEnds(name);
          this.popTo(node);
          return;
        }
        if (SPECIAL.has(node.name)) return;
      }
    }

    // --- The start of the document ---

    // Opens `html`, `head` and `body` as far as the mode has not done so.
    enterHead() {
      if (this.mode === 'initial') {
        this.insert('html');
        this.mode = 'beforeHead';
      }
      if (this.mode === 'beforeHead') {
        this.head = this.insert('head');
        this.mode = 'inHead';
      }
    }
    enterBody() {
      if (this.mode === 'initial' || this.mode === 'beforeHead') this.enterHead();
      if (this.mode === 'inHead') {
        this.open.pop();
        this.mode = 'afterHead';
      }
      if (this.mode === 'afterHead') {
        this.insert('body');
        this.mode = 'inBody';
      }
    }
    finish() {
      if (this.isRaw(this.current)) this.open.pop();
      while (this.templates.length > 0) this.endTemplate();
      this.enterBody();
    }
    mergeAttributes(node, attributes) {
      if (node !== undefined) for (const key of Object.keys(attributes)) node.attributes[key] ??= attributes[key];
    }
    startHead(name, attributes) {
      if (VOID.has(name)) {
        this.insertVoid(name, attributes);
        return;
      }
      this.insert(name, attributes);
      if (name === 'template') {
        this.formatting.push(MARKER);
        this.templates.push(this.mode);
        this.mode = 'inBody';
      }
    }
    endTemplate() {
      if (this.templates.length === 0 || !this.isOpen('template')) return;
      this.popUntil('template');
      this.clearFormatting();
      this.mode = this.templates.pop();
    }
    // Returns true if the tag belongs to what comes before the body.
    startBeforeBody(name, attributes) {
      if (name === 'html') {
        if (this.mode === 'initial') {
          this.insert('html', attributes);
          this.mode = 'beforeHead';
        } else {
          this.mergeAttributes(this.open[0], attributes);
        }
        return true;
      }
      if (name === 'head') {
        if (this.mode === 'initial' || this.mode === 'beforeHead') {
          this.enterHead();
          this.mergeAttributes(this.head, attributes);
        }
        return true;
      }
      if (HEAD.has(name) || name === 'noscript') {
        if (this.mode === 'afterHead') {
          if (name === 'noscript') return false;
          // It still belongs into the head.
          this.open.push(this.head);
          this.startHead(name, attributes);
          this.open.splice(this.open.indexOf(this.head), 1);
        } else {
          this.enterHead();
          this.startHead(name, attributes);
        }
        return true;
      }
      if (name === 'body') {
        this.enterBody();
        this.mergeAttributes(this.current, attributes);
        return true;
      }
      return false;
    }

    // --- Tokens ---

    onDoctype(text) {
      if (this.mode !== 'initial') return;
      this.isQuirky = !/^html(?:$|[\t\n\f\r ])/i.test(text) || /\/\/DTD HTML (?:2|3|4\.0 Trans)/i.test(text);
      this.append(this.document, { type: 'doctype', data: text, parent: this.document });
    }
    onComment(text) {
      this.skipsNewline = false;
      if (this.mode === 'initial' || this.mode === 'afterHtml') this.insertComment(text, this.document);
      else if (this.mode === 'afterBody') this.insertComment(text, this.open[0]);
      else this.insertComment(text);
    }
    onText(given) {
      let text = given;
      if (this.skipsNewline && text[0] === '\n') text = text.slice(1);
      this.skipsNewline = false;
      if (text === '') return;
      if (this.isRaw(this.current) || this.isForeignNow()) return this.insertText(text);
      if (['initial', 'beforeHead', 'inHead', 'afterHead'].includes(this.mode)) {
        const blank = /^[\t\n\f\r ]*/.exec(text)[0];
        if (blank !== '' && (this.mode === 'inHead' || this.mode === 'afterHead')) this.insertText(blank);
        text = text.slice(blank.length);
        if (text === '') return;
        this.enterBody();
      }
      if (this.isAfterBody() && !isBlank(text)) this.mode = 'inBody';
      if (this.mode === 'inColumns' && !isBlank(text)) this.endColumns();
      if (this.mode === 'inSelect') return this.insertText(text);
      if (FOSTERING.has(this.current.name)) {
        if (isBlank(text)) return this.insertText(text);
        return this.withFostering(() => this.textInBody(text));
      }
      this.textInBody(text);
    }
    textInBody(text) {
      this.reconstruct();
      this.insertText(text);
    }
    withFostering(work) {
      this.fosters = true;
      work();
      this.fosters = false;
    }
    isRaw({ name, isForeign }) {
      return !isForeign && ['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript', 'plaintext'].includes(name);
    }
    isAfterBody() {
      return this.mode === 'afterBody' || this.mode === 'afterHtml';
    }
    isForeignNow() {
      const { current } = this;
      return Boolean(current.isForeign) && !isIntegration(current);
    }

    onStart(name, attributes, isSelfClosing) {
      this.skipsNewline = false;
      this.isSelfClosing = isSelfClosing;
      if (this.isForeignNow()) {
        if (!BREAKOUT.has(name) && !(name === 'font' && ['color', 'face', 'size'].some((key) => key in attributes))) {
          this.startForeign(name, attributes);
          return false;
        }
        while (this.isForeignNow()) this.open.pop();
      }
      this.start(name, attributes);
      return this.current.name === name && this.isRaw(this.current);
    }
    startForeign(name, attributes) {
      const kind = this.current.isForeign || name;
      this.insert(...adjust(kind, name, attributes), kind);
      if (this.isSelfClosing && this.current.isForeign) this.open.pop();
    }
    start(name, attributes) {
      if (['initial', 'beforeHead', 'inHead', 'afterHead'].includes(this.mode)) {
        if (this.startBeforeBody(name, attributes)) return;
        this.enterBody();
      }
      if (this.isAfterBody() && name !== 'html') this.mode = 'inBody';
      const inTable = this[`start_${this.mode}`];
      if (inTable === undefined || !inTable.call(this, name, attributes)) this.startInBody(name, attributes);
    }
    startInBody(name, attributes) {
      if (name === 'html') this.mergeAttributes(this.open[0], attributes);
      else if (name === 'body') this.mergeAttributes(this.open.find((node) => node.name === 'body'), attributes);
      else if (HEAD.has(name)) this.startHead(name, attributes);
      else if (BLOCKS.has(name)) this.startBlock(name, attributes);
      else if (HEADINGS.has(name)) {
        this.closeP();
        if (HEADINGS.has(this.current.name)) this.open.pop();
        this.insert(name, attributes);
      } else if (name === 'pre' || name === 'listing') {
        this.startBlock(name, attributes);
        this.skipsNewline = true;
      } else if (name === 'form') {
        if (this.form !== null) return;
        this.startBlock(name, attributes);
        this.form = this.current;
      } else if (name === 'li') this.startItem(['li'], name, attributes);
      else if (name === 'dd' || name === 'dt') this.startItem(['dd', 'dt'], name, attributes);
      else if (name === 'plaintext') this.startBlock(name, attributes);
      else if (name === 'button') {
        if (this.hasInScope('button')) {
          this.implyEnds();
          this.popUntil('button');
        }
        this.startInline(name, attributes);
      } else if (FORMATTING.has(name)) this.startFormatting(name, attributes);
      else if (['applet', 'marquee', 'object'].includes(name)) {
        this.startInline(name, attributes);
        this.formatting.push(MARKER);
      } else if (name === 'table') {
        if (!this.isQuirky) this.closeP();
        this.insert(name, attributes);
        this.mode = 'inTable';
      } else if (name === 'hr') {
        this.closeP();
        this.insertVoid(name, attributes);
      } else if (name === 'image') this.startVoid('img', attributes);
      else if (['param', 'source', 'track'].includes(name)) this.insertVoid(name, attributes);
      else if (VOID.has(name) && !TABLE_PARTS.has(name) && name !== 'frame') this.startVoid(name, attributes);
      else if (name === 'textarea') {
        this.insert(name, attributes);
        this.skipsNewline = true;
      } else if (name === 'xmp') {
        this.closeP();
        this.startInline(name, attributes);
      } else if (['iframe', 'noembed', 'noscript'].includes(name)) this.insert(name, attributes);
      else if (name === 'select') {
        this.startInline(name, attributes);
        this.mode = 'inSelect';
      } else if (name === 'optgroup' || name === 'option') {
        if (this.current.name === 'option') this.open.pop();
        this.startInline(name, attributes);
      } else if (['rb', 'rtc', 'rp', 'rt'].includes(name)) {
        if (this.hasInScope('ruby')) this.implyEnds(name === 'rp' || name === 'rt' ? 'rtc' : undefined);
        this.insert(name, attributes);
      } else if (name === 'svg' || name === 'math') {
        this.reconstruct();
        this.startForeign(name, attributes);
      } else if (!TABLE_PARTS.has(name) && name !== 'frame' && name !== 'head' && name !== 'frameset') this.startInline(name, attributes);
    }
    startBlock(name, attributes) {
      this.closeP();
      this.insert(name, attributes);
    }
    startInline(name, attributes) {
      this.reconstruct();
      this.insert(name, attributes);
    }
    startVoid(name, attributes) {
      this.reconstruct();
      this.insertVoid(name, attributes);
    }
    startFormatting(name, attributes) {
      if (name === 'a') {
        const before = this.findFormatting('a');
        if (before !== undefined) {
          this.adopt('a');
          this.formatting = this.formatting.filter((node) => node !== before);
          this.open = this.open.filter((node) => node !== before);
        }
      } else if (name === 'nobr' && this.hasInScope('nobr')) {
        this.reconstruct();
        this.adopt('nobr');
      }
      this.startInline(name, attributes);
      this.pushFormatting(this.current);
    }
    startItem(names, name, attributes) {
      for (let i = this.open.length - 1; i >= 0; i--) {
        const node = this.open[i];
        if (names.includes(node.name)) {
          this.implyEnds(node.name);
          this.popUntil(node.name);
          break;
        }
        if (SPECIAL.has(node.name) && !['address', 'div', 'p'].includes(node.name)) break;
      }
      this.startBlock(name, attributes);
    }

    onEnd(name) {
      this.skipsNewline = false;
      if (this.current.isForeign) {
        for (let i = this.open.length - 1; i > 0 && this.open[i].isForeign; i--) {
          if (this.open[i].name.toLowerCase() === name) {
            this.popTo(this.open[i]);
            return;
          }
        }
      }
      if (this.isRaw(this.current)) {
        if (this.current.name === name) this.open.pop();
        return;
      }
      if (name === 'template') {
        this.endTemplate();
        return;
      }
      if (['initial', 'beforeHead', 'inHead', 'afterHead'].includes(this.mode)) {
        if (name === 'head' && this.mode !== 'afterHead') {
          this.enterHead();
          this.open.pop();
          this.mode = 'afterHead';
          return;
        }
        if (!['body', 'html', 'br'].includes(name)) return;
        this.enterBody();
      }
      if (this.mode === 'afterBody' && name === 'html') {
        this.mode = 'afterHtml';
        return;
      }
      if (this.isAfterBody()) this.mode = 'inBody';
      const inTable = this[`end_${this.mode}`];
      if (inTable === undefined || !inTable.call(this, name)) this.endInBody(name);
    }
    endInBody(name) {
      if (name === 'body' || name === 'html') {
        if (this.hasInScope('body')) this.mode = name === 'html' ? 'afterHtml' : 'afterBody';
      } else if (CLOSABLE.has(name)) this.endBlock(name, SCOPE);
      else if (name === 'form') {
        const { form } = this;
        this.form = null;
        if (form === null || !this.open.includes(form) || !this.hasInScope('form')) return;
        this.implyEnds();
        this.open.splice(this.open.indexOf(form), 1);
      } else if (name === 'p') {
        if (!this.hasInScope('p', BUTTON_SCOPE)) this.insert('p');
        this.closeP();
      } else if (name === 'li') this.endBlock(name, LIST_SCOPE);
      else if (name === 'dd' || name === 'dt') this.endBlock(name, SCOPE);
      else if (HEADINGS.has(name)) {
        if (!this.hasInScope(HEADINGS)) return;
        this.implyEnds();
        this.popUntil(HEADINGS);
      } else if (FORMATTING.has(name)) this.adopt(name);
      else if (['applet', 'marquee', 'object'].includes(name)) {
        if (!this.hasInScope(name)) return;
        this.endBlock(name, SCOPE);
        this.clearFormatting();
      } else if (name === 'br') this.startVoid('br', {});
      else this.endOther(name);
    }
    endBlock(name, scope) {
      if (!this.hasInScope(name, scope)) return;
      this.implyEnds(name);
      this.popUntil(name);
    }

    // --- Tables. Each function returns true if it has processed the tag ---

    start_inTable(name, attributes) {
      if (name === 'caption') {
        this.clearTo('table');
        this.formatting.push(MARKER);
        this.insert(name, attributes);
        this.mode = 'inCaption';
      } else if (name === 'colgroup' || name === 'col') {
        this.clearTo('table');
        if (name === 'colgroup') this.insert(name, attributes);
        else this.insert('colgroup');
        this.mode = 'inColumns';
        if (name === 'col') this.insertVoid(name, attributes);
      } else if (SECTIONS.has(name) || name === 'tr' || name === 'td' || name === 'th') {
        this.clearTo('table');
        this.mode = 'inTableBody';
        if (SECTIONS.has(name)) {
          this.insert(name, attributes);
        } else {
          this.insert('tbody');
          this.start(name, attributes);
        }
      } else if (name === 'table') {
        if (!this.hasInScope('table', TABLE_SCOPE)) return true;
        this.popUntil('table');
        this.resetMode();
        this.start(name, attributes);
      } else if (['style', 'script', 'template'].includes(name)) {
        this.startHead(name, attributes);
      } else if (name === 'input' && /^hidden$/i.test(attributes.type ?? '')) {
        this.insertVoid(name, attributes);
      } else if (name === 'form') {
        if (this.form !== null) return true;
        this.form = this.insert(name, attributes);
        this.open.pop();
      } else {
        this.withFostering(() => this.startInBody(name, attributes));
      }
      return true;
    }
    end_inTable(name) {
      if (name === 'table') {
        if (!this.hasInScope('table', TABLE_SCOPE)) return true;
        this.popUntil('table');
        this.resetMode();
      } else if (!TABLE_PARTS.has(name) && name !== 'body' && name !== 'html') {
        this.withFostering(() => this.endInBody(name));
      }
      return true;
    }
    start_inTableBody(name, attributes) {
      if (name === 'tr') {
        this.clearTo('tbody', 'tfoot', 'thead');
        this.insert(name, attributes);
        this.mode = 'inRow';
      } else if (name === 'td' || name === 'th') {
        this.clearTo('tbody', 'tfoot', 'thead');
        this.insert('tr');
        this.mode = 'inRow';
        this.start(name, attributes);
      } else if (TABLE_PARTS.has(name)) {
        if (this.endSection()) this.start(name, attributes);
      } else {
        return this.start_inTable(name, attributes);
      }
      return true;
    }
    endSection() {
      if (!this.hasInScope(SECTIONS, TABLE_SCOPE)) return false;
      this.clearTo('tbody', 'tfoot', 'thead');
      this.open.pop();
      this.mode = 'inTable';
      return true;
    }
    end_inTableBody(name) {
      if (SECTIONS.has(name)) {
        if (this.hasInScope(name, TABLE_SCOPE)) this.endSection();
      } else if (name === 'table') {
        if (this.endSection()) this.onEnd(name);
      } else if (!TABLE_PARTS.has(name)) {
        return this.end_inTable(name);
      }
      return true;
    }
    start_inRow(name, attributes) {
      if (name === 'td' || name === 'th') {
        this.clearTo('tr');
        this.insert(name, attributes);
        this.mode = 'inCell';
        this.formatting.push(MARKER);
      } else if (TABLE_PARTS.has(name)) {
        if (this.endRow()) this.start(name, attributes);
      } else {
        return this.start_inTable(name, attributes);
      }
      return true;
    }
    endRow() {
      if (!this.hasInScope('tr', TABLE_SCOPE)) return false;
      this.clearTo('tr');
      this.open.pop();
      this.mode = 'inTableBody';
      return true;
    }
    end_inRow(name) {
      if (name === 'tr') this.endRow();
      else if (name === 'table' || SECTIONS.has(name)) {
        if (this.endRow()) this.onEnd(name);
      } else if (!TABLE_PARTS.has(name)) {
        return this.end_inTable(name);
      }
      return true;
    }
    start_inCell(name, attributes) {
      if (!TABLE_PARTS.has(name)) return false;
      if (this.endCell()) this.start(name, attributes);
      return true;
    }
    endCell(name = new Set(['td', 'th'])) {
      if (!this.hasInScope(name, TABLE_SCOPE)) return false;
      this.implyEnds();
      this.popUntil(name);
      this.clearFormatting();
      this.mode = 'inRow';
      return true;
    }
    end_inCell(name) {
      if (name === 'td' || name === 'th') this.endCell(name);
      else if (name === 'table' || name === 'tr' || SECTIONS.has(name)) {
        if (this.hasInScope(name, TABLE_SCOPE) && this.endCell()) this.onEnd(name);
      } else return TABLE_PARTS.has(name) || name === 'body' || name === 'html';
      return true;
    }
    start_inCaption(name, attributes) {
      if (!TABLE_PARTS.has(name)) return false;
      if (this.endCaption()) this.start(name, attributes);
      return true;
    }
    endCaption() {
      if (!this.hasInScope('caption', TABLE_SCOPE)) return false;
      this.implyEnds();
      this.popUntil('caption');
      this.clearFormatting();
      this.mode = 'inTable';
      return true;
    }
    end_inCaption(name) {
      if (name === 'caption') this.endCaption();
      else if (name === 'table') {
        if (this.endCaption()) this.onEnd(name);
      } else return TABLE_PARTS.has(name) || name === 'body' || name === 'html';
      return true;
    }
    endColumns() {
      if (this.current.name !== 'colgroup') return false;
      this.open.pop();
      this.mode = 'inTable';
      return true;
    }
    start_inColumns(name, attributes) {
      if (name === 'col') this.insertVoid(name, attributes);
      else if (this.endColumns()) this.start(name, attributes);
      return true;
    }
    end_inColumns(name) {
      if (name === 'colgroup') this.endColumns();
      else if (name !== 'col' && this.endColumns()) this.onEnd(name);
      return true;
    }

    // --- Select: only options are allowed in it ---

    start_inSelect(name, attributes) {
      const isInTable = this.open.some((node) => FOSTERING.has(node.name));
      if (name === 'html') return false;
      if (name === 'option' || name === 'optgroup') {
        if (this.current.name === 'option') this.open.pop();
        if (name === 'optgroup' && this.current.name === 'optgroup') this.open.pop();
        this.insert(name, attributes);
      } else if (name === 'select') this.endSelect();
      else if (['input', 'keygen', 'textarea'].includes(name) || (isInTable && isTablePart(name))) {
        this.endSelect();
        this.start(name, attributes);
      } else if (name === 'script' || name === 'template') this.startHead(name, attributes);
      return true;
    }
    endSelect() {
      if (!this.isOpen('select')) return;
      this.popUntil('select');
      this.resetMode();
    }
    end_inSelect(name) {
      const { current } = this;
      if (name === 'optgroup') {
        if (current.name === 'option' && this.open.at(-2)?.name === 'optgroup') this.open.pop();
        if (this.current.name === 'optgroup') this.open.pop();
      } else if (name === 'option') {
        if (current.name === 'option') this.open.pop();
      } else if (name === 'select') this.endSelect();
      else if (isTablePart(name) && this.hasInScope(name, TABLE_SCOPE)) {
        this.endSelect();
        this.onEnd(name);
      }
      return true;
    }
  }

  /** The tree of a document: `{type: 'root', children}`. Elements have `name`, `attributes`, `children` and `parent`. */
  n8n.parseHtml = (text) => {
    const builder = new Builder();
    n8n.scanHtml(text, {
      onText: (data) => builder.onText(data),
      onStart: (name, attributes, isSelfClosing) => builder.onStart(name, attributes, isSelfClosing),
      onEnd: (name) => builder.onEnd(name),
      onComment: (data) => builder.onComment(data),
      onDoctype: (data) => builder.onDoctype(data),
    });
    builder.finish();
    return builder.document;
  };

  // --- Reading the tree, without recursion: it may be deep ---

  /** Calls `enter` and `leave` for the node and all nodes in it. `enter` may return false to skip the contents. */
  n8n.walkHtml = (root, enter, leave = () => {}) => {
    const stack = [root];
    const places = [0];
    if (enter(root) === false) return;
    while (stack.length > 0) {
      const node = stack.at(-1);
      const index = places[places.length - 1]++;
      if (node.children === undefined || index >= node.children.length) {
        leave(node);
        stack.pop();
        places.pop();
      } else {
        const child = node.children[index];
        if (child.children === undefined || child.children.length === 0) {
          if (enter(child) !== false) leave(child);
        } else if (enter(child) !== false) {
          stack.push(child);
          places.push(0);
        }
      }
    }
  };

  const escape = (text) => text.replace(/&/g, '&amp;').replace(/\xa0/g, '&nbsp;');
  const RAW_PARENTS = words('style script xmp iframe noembed noframes plaintext noscript');
  /** The HTML in an element. */
  n8n.innerHtml = (element) => {
    let html = '';
    n8n.walkHtml(element, (node) => {
      if (node === element) return true;
      if (node.type === 'text') {
        html += RAW_PARENTS.has(node.parent.name) ? node.data : escape(node.data).replace(/</g, '&lt;').replace(/>/g, '&gt;');
      } else if (node.type === 'comment') {
        html += `<!--${node.data}-->`;
      } else if (node.type === 'doctype') {
        html += '<!DOCTYPE html>';
      } else {
        html += '<' + node.name;
        for (const key of Object.keys(node.attributes)) html += ` ${key}="${escape(node.attributes[key]).replace(/"/g, '&quot;')}"`;
        html += '>';
        return !VOID.has(node.name);
      }
      return true;
    }, (node) => {
      if (node !== element && node.type === 'element') html += `</${node.name}>`;
    });
    return html;
  };
})
