// Builds the tree of an HTML document by the rules of the HTML standard, so that selectors see what they see in a browser:
// the elements that are implied, the ends that are left out, and what is misplaced in tables.
//
// Left out are frames, the contents of `template` apart from the document, and the names of SVG that have capital letters in
// selectors. Trees are at most 256 elements deep, and at most 32 formatting elements are opened again.
(function (n8n) {
  'use strict';

  // What is inside of these is text.
  const WITHOUT_TAGS = new Set('script style title textarea xmp iframe noembed noframes noscript plaintext'.split(' '));

  const { HEAD, VOID, BLOCKS, CLOSABLE, HEADINGS, FORMATTING, IMPLIED_END, SPECIAL, SCOPE, LIST_SCOPE, BUTTON_SCOPE, LIMITS, TABLE_PARTS,
    FOSTERING, BREAKOUT, INTEGRATION, isIntegration, adjust } = n8n.htmlNames;
  const MAX_DEPTH = 256;
  const MARKER = n8n.htmlMarker;
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
      const limits = isForeign ? (INTEGRATION[isForeign].has(name) ? 7 : 0) : LIMITS[name] ?? 0;
      return { type: 'element', name, attributes, children: [], parent: null, isForeign, limits };
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
      const isOne = typeof names === 'string';
      for (let i = this.open.length - 1; i >= 0; i--) {
        const node = this.open[i];
        if (isOne ? node.name === names : names.has(node.name)) return true;
        if (node.limits & scope) return false;
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
      return !isForeign && WITHOUT_TAGS.has(name);
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
  }
  Object.assign(Builder.prototype, n8n.htmlFormatting, n8n.htmlTableModes);

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
})
