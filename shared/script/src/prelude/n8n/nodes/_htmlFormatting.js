// The rules of the HTML standard for formatting elements, such as `b`, which go on after the end of their parents. They are a part
// of the builder of `_htmlTree.js`.
(function (n8n) {
  'use strict';

  const { SPECIAL, FOSTERING } = n8n.htmlNames;
  const MARKER = n8n.htmlMarker;
  const MAX_FORMATTING = 32;

  n8n.htmlFormatting = {
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
    },
    clearFormatting() {
      while (this.formatting.length > 0 && this.formatting.pop() !== MARKER);
    },
    findFormatting(name) {
      for (let i = this.formatting.length - 1; i >= 0 && this.formatting[i] !== MARKER; i--) {
        if (this.formatting[i].name === name) return this.formatting[i];
      }
      return undefined;
    },
    reconstruct() {
      let i = this.formatting.length - 1;
      const isDone = (entry) => entry === MARKER || this.open.includes(entry);
      if (i < 0 || isDone(this.formatting[i])) return;
      while (i > 0 && !isDone(this.formatting[i - 1])) i--;
      for (; i < this.formatting.length; i++) {
        const { name, attributes } = this.formatting[i];
        this.formatting[i] = this.insert(name, { ...attributes });
      }
    },
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
    },
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
    },
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
    },
  };
})
