// The rules of the HTML standard for tables and selects: parts of the builder of `_htmlTree.js`.
(function (n8n) {
  'use strict';

  const { TABLE_PARTS, FOSTERING, SECTIONS, TABLE_SCOPE, isTablePart } = n8n.htmlNames;
  const MARKER = n8n.htmlMarker;

  n8n.htmlTableModes = {
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
    },
    end_inTable(name) {
      if (name === 'table') {
        if (!this.hasInScope('table', TABLE_SCOPE)) return true;
        this.popUntil('table');
        this.resetMode();
      } else if (!TABLE_PARTS.has(name) && name !== 'body' && name !== 'html') {
        this.withFostering(() => this.endInBody(name));
      }
      return true;
    },
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
    },
    endSection() {
      if (!this.hasInScope(SECTIONS, TABLE_SCOPE)) return false;
      this.clearTo('tbody', 'tfoot', 'thead');
      this.open.pop();
      this.mode = 'inTable';
      return true;
    },
    end_inTableBody(name) {
      if (SECTIONS.has(name)) {
        if (this.hasInScope(name, TABLE_SCOPE)) this.endSection();
      } else if (name === 'table') {
        if (this.endSection()) this.onEnd(name);
      } else if (!TABLE_PARTS.has(name)) {
        return this.end_inTable(name);
      }
      return true;
    },
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
    },
    endRow() {
      if (!this.hasInScope('tr', TABLE_SCOPE)) return false;
      this.clearTo('tr');
      this.open.pop();
      this.mode = 'inTableBody';
      return true;
    },
    end_inRow(name) {
      if (name === 'tr') this.endRow();
      else if (name === 'table' || SECTIONS.has(name)) {
        if (this.endRow()) this.onEnd(name);
      } else if (!TABLE_PARTS.has(name)) {
        return this.end_inTable(name);
      }
      return true;
    },
    start_inCell(name, attributes) {
      if (!TABLE_PARTS.has(name)) return false;
      if (this.endCell()) this.start(name, attributes);
      return true;
    },
    endCell(name = new Set(['td', 'th'])) {
      if (!this.hasInScope(name, TABLE_SCOPE)) return false;
      this.implyEnds();
      this.popUntil(name);
      this.clearFormatting();
      this.mode = 'inRow';
      return true;
    },
    end_inCell(name) {
      if (name === 'td' || name === 'th') this.endCell(name);
      else if (name === 'table' || name === 'tr' || SECTIONS.has(name)) {
        if (this.hasInScope(name, TABLE_SCOPE) && this.endCell()) this.onEnd(name);
      } else return TABLE_PARTS.has(name) || name === 'body' || name === 'html';
      return true;
    },
    start_inCaption(name, attributes) {
      if (!TABLE_PARTS.has(name)) return false;
      if (this.endCaption()) this.start(name, attributes);
      return true;
    },
    endCaption() {
      if (!this.hasInScope('caption', TABLE_SCOPE)) return false;
      this.implyEnds();
      this.popUntil('caption');
      this.clearFormatting();
      this.mode = 'inTable';
      return true;
    },
    end_inCaption(name) {
      if (name === 'caption') this.endCaption();
      else if (name === 'table') {
        if (this.endCaption()) this.onEnd(name);
      } else return TABLE_PARTS.has(name) || name === 'body' || name === 'html';
      return true;
    },
    endColumns() {
      if (this.current.name !== 'colgroup') return false;
      this.open.pop();
      this.mode = 'inTable';
      return true;
    },
    start_inColumns(name, attributes) {
      if (name === 'col') this.insertVoid(name, attributes);
      else if (this.endColumns()) this.start(name, attributes);
      return true;
    },
    end_inColumns(name) {
      if (name === 'colgroup') this.endColumns();
      else if (name !== 'col' && this.endColumns()) this.onEnd(name);
      return true;
    },

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
    },
    endSelect() {
      if (!this.isOpen('select')) return;
      this.popUntil('select');
      this.resetMode();
    },
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
    },
  };
})
