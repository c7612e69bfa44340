// Markdown's images and links, and addresses that become links.
(function (n8n) {
  'use strict';

  const markdown = n8n.markdownParts;
  const { NEVER, escapeChar, nextPlaces, nextOf, find, replaceAt } = markdown;
  const escapeIn = (text) => text.replace(/[*_:~]/g, escapeChar);

  // --- Images and links ---

  // What is known about the brackets, quotes and words of a text.
  class Places {
    constructor(text) {
      this.text = text;
      this.close = nextOf(text, ']');
      this.bracket = nextOf(text, '[]');
      this.angle = nextOf(text, '>');
      this.double = nextOf(text, '"');
      this.space = nextPlaces(text, (i) => /\s/.test(text[i]));
      this.open = nextOf(text, '(');
      this.shut = nextOf(text, ')');
      // A single quote ends a title only before the end of the link.
      this.single = nextPlaces(text, (i) => text[i] === "'" && this.ends(i + 1) !== undefined);
      // The end of a link text, which may have brackets in it.
      this.textEnd = new Float64Array(text.length + 2).fill(NEVER);
      for (let i = text.length - 1; i >= 0; i--) {
        if (text[i] === ']') this.textEnd[i] = i;
        else if (text[i] !== '[') this.textEnd[i] = this.textEnd[i + 1];
        else if (this.close[i + 1] !== NEVER) this.textEnd[i] = this.textEnd[this.close[i + 1] + 1];
      }
    }
    // The place behind an optional blank and a closing parenthesis.
    ends(at) {
      const blank = this.text[at] === ' ' || this.text[at] === '\t' ? 1 : 0;
      return this.text[at + blank] === ')' ? at + blank + 1 : undefined;
    }
    skipBlanks(at) {
      return at + find(/[ \t]*/y, this.text, at)[0].length;
    }
    // A title in quotes and the end of the link.
    title(at) {
      const quote = this.text[at];
      if (quote !== '"' && quote !== "'") return undefined;
      const end = quote === '"' ? this.double[at + 1] : this.single[at + 1];
      if (end === NEVER || this.double[at + 1] < end) return undefined;
      const after = this.ends(end + 1);
      return after === undefined ? undefined : { title: this.text.slice(at + 1, end), end: after };
    }
  }
  const SIZE = / =([*\d]+[A-Za-z%]{0,4})x([*\d]+[A-Za-z%]{0,4})/y;
  // What follows the address: an optional size (of images), an optional title and the end.
  const tailOf = (places, isImage) => {
    const afterSize = (at, size) => {
      const behind = places.skipBlanks(at);
      const titled = places.title(behind);
      if (titled !== undefined) return { ...size, ...titled };
      const end = isImage ? places.ends(behind) : places.ends(at);
      return end === undefined ? undefined : { ...size, end };
    };
    return (at) => {
      const size = isImage ? find(SIZE, places.text, at) : null;
      const sized = size === null ? undefined : afterSize(at + size[0].length, { width: size[1], height: size[2] });
      return sized ?? afterSize(at, {});
    };
  };
  const tailWithAngle = (places, tail) => (at) => (places.text[at] === '>' ? tail(at + 1) : undefined) ?? tail(at);

  // Finds `(address "title")`. The address may have one pair of parentheses.
  const linkTargets = (places, isImage) => {
    const { text } = places;
    const tail = tailOf(places, isImage);
    const tailInWord = tailWithAngle(places, tail);
    // An address ends before one of these characters, and at the first of several blanks.
    const mayEnd = (i) => ')>"\''.includes(text[i]) || (' \t'.includes(text[i]) && !/\s/.test(text[i - 1] ?? ''));
    const nextTail = nextPlaces(text, (i) => mayEnd(i) && tailInWord(i) !== undefined);
    const plain = (start) => {
      const wordEnd = Math.min(places.space[start], text.length);
      if (start >= wordEnd) return undefined;
      const found = (end) => ({ url: text.slice(start, end), ...tailInWord(end) });
      const end = nextTail[start + 1];
      const open = places.open[start + 1];
      if (open < end && open < wordEnd) {
        const shut = places.shut[open + 1];
        const after = shut < wordEnd ? nextTail[shut + 1] : NEVER;
        if (after <= wordEnd) return found(after);
      }
      return end <= wordEnd ? found(end) : undefined;
    };
    // The variants of blanks and "<" at the start of the address, in the order in which the pattern tries them.
    const starts = (at) => {
      const all = [];
      for (const afterBlank of /[ \t]/.test(text[at] ?? '') ? [at + 1, at] : [at]) {
        if (text[afterBlank] === '<') all.push(afterBlank + 1);
        all.push(afterBlank);
      }
      return all;
    };
    const openParenthesis = (at) => {
      const after = places.skipBlanks(at);
      return text[after] === '(' ? after + 1 : undefined;
    };
    return {
      plain(at) {
        const open = openParenthesis(at);
        if (open === undefined) return undefined;
        for (const start of starts(open)) {
          const target = plain(start);
          if (target !== undefined) return target;
        }
        return undefined;
      },
      angled(at) {
        const open = openParenthesis(at);
        if (open === undefined) return undefined;
        const start = /[ \t]/.test(text[open] ?? '') ? open + 1 : open;
        if (text[start] !== '<') return undefined;
        const close = places.angle[start + 1];
        const rest = close === NEVER ? undefined : tail(close + 1);
        return rest === undefined ? undefined : { url: text.slice(start + 1, close), ...rest };
      },
      base64(at) {
        const open = openParenthesis(at);
        if (open === undefined) return undefined;
        const start = find(/[ \t]?<?(?=data:)/y, text, open);
        if (start === null) return undefined;
        const from = open + start[0].length;
        const data = find(/data:[^\n/]+\/[^\n;]+;base64,[A-Za-z0-9+/=\n]+/y, text, from);
        const rest = data === null ? undefined : tailInWord(from + data[0].length);
        return rest === undefined ? undefined : { url: data[0], ...rest };
      },
    };
  };
  // `("title")` and `(<>)` have an empty address.
  const isEmptyTarget = (whole) => {
    // The end of the lines before.
    let before = '';
    return whole.split('\n').some((line) => {
      const above = before;
      before = `${before}\n${line}`.slice(-60);
      if (!line.endsWith(')')) return false;
      if (/\(<?\s*>? ?\)$/.test(line.slice(-60)) || (line.trim() === ')' && /\(<?\s*$/.test(above))) return true;
      if (!/["']\)$/.test(line)) return false;
      const quote = /\(<?\s*>? ?["']/.exec(line);
      return quote !== null && quote.index + quote[0].length - 1 < line.length - 2;
    });
  };
  // The address and title of a reference such as [text][id].
  const lookUp = (state, id, text) => {
    const key = id.toLowerCase() || text.toLowerCase().replace(/ ?\n/g, ' ');
    if (!state.urls.has(key)) return undefined;
    return { url: state.urls.get(key), title: state.titles.get(key), size: state.sizes.get(key) };
  };
  const quoteAttribute = (text) => escapeIn(text.replace(/"/g, '&quot;'));
  const REFERENCE = / ?(?:\n *)?\[/y;
  const HAS_TARGET = /\][ \t]*\(/;

  const images = (text, state) => {
    if (!text.includes('![')) return text;
    const write = (alt, url, title, { width, height } = {}) => {
      let html = `<img src="${escapeIn(url)}" alt="${quoteAttribute(alt)}"`;
      if (title) html += ` title="${quoteAttribute(title)}"`;
      if (width && height) html += ` width="${width === '*' ? 'auto' : width}" height="${height === '*' ? 'auto' : height}"`;
      return html + ' />';
    };
    const writeReference = (whole, alt, id) => {
      if (isEmptyTarget(whole)) return write(alt, '', '');
      const found = lookUp(state, id, alt);
      return found === undefined ? whole : write(alt, found.url, found.title, found.size);
    };
    const references = (current) => {
      const close = nextOf(current, ']');
      return replaceAt(current, /!\[/g, (start) => {
        const end = close[start + 2];
        const reference = end === NEVER ? null : find(REFERENCE, current, end + 1);
        if (reference === null) return undefined;
        const from = end + 1 + reference[0].length;
        const last = close[from];
        if (last === NEVER) return undefined;
        return [writeReference(current.slice(start, last + 1), current.slice(start + 2, end), current.slice(from, last)), last + 1];
      });
    };
    const inline = (kind) => (current) => {
      if (!HAS_TARGET.test(current)) return current;
      const places = new Places(current);
      const targets = linkTargets(places, true);
      return replaceAt(current, /!\[/g, (start) => {
        const end = places.close[start + 2];
        const target = end === NEVER ? undefined : targets[kind](end + 1);
        if (target === undefined) return undefined;
        const isEmpty = isEmptyTarget(current.slice(start, target.end));
        const url = isEmpty ? '' : kind === 'base64' ? target.url.replace(/\s/g, '') : target.url;
        return [write(current.slice(start + 2, end), url, target.title, target), target.end];
      });
    };
    const shortcuts = (current) => {
      const bracket = nextOf(current, '[]');
      return replaceAt(current, /!\[/g, (start) => {
        const end = bracket[start + 2];
        if (end === NEVER || current[end] !== ']' || end === start + 2) return undefined;
        return [writeReference(current.slice(start, end + 1), current.slice(start + 2, end), ''), end + 1];
      });
    };
    return [references, inline('base64'), inline('angled'), inline('plain'), shortcuts].reduce((current, step) => step(current), text);
  };

  const newWindow = (options) => (options.openLinksInNewWindow ? ' rel="noopener noreferrer" target="¨E95Eblank"' : '');
  const anchors = (text, state, options) => {
    const write = (content, url, title) => {
      let html = `<a href="${escapeIn(url)}"`;
      if (title) html += ` title="${quoteAttribute(title)}"`;
      if (!url.startsWith('#')) html += newWindow(options);
      return `${html}>${content}</a>`;
    };
    const writeReference = (whole, content, id) => {
      if (isEmptyTarget(whole)) return write(content, '', '');
      const found = lookUp(state, id, content);
      return found === undefined ? whole : write(content, found.url, found.title);
    };
    const references = (current) => {
      const places = new Places(current);
      return replaceAt(current, /\[/g, (start) => {
        const end = places.textEnd[start + 1];
        const reference = end === NEVER ? null : find(REFERENCE, current, end + 1);
        if (reference === null) return undefined;
        const from = end + 1 + reference[0].length;
        const last = places.close[from];
        if (last === NEVER || current.slice(from, last).includes('\n')) return undefined;
        return [writeReference(current.slice(start, last + 1), current.slice(start + 1, end), current.slice(from, last)), last + 1];
      });
    };
    const inline = (kind) => (current) => {
      if (!HAS_TARGET.test(current)) return current;
      const places = new Places(current);
      const targets = linkTargets(places, false);
      return replaceAt(current, /\[/g, (start) => {
        const end = places.textEnd[start + 1];
        const target = end === NEVER ? undefined : targets[kind](end + 1);
        if (target === undefined) return undefined;
        const content = current.slice(start + 1, end);
        if (isEmptyTarget(current.slice(start, target.end))) return [write(content, '', target.title), target.end];
        if (target.url === '') return [writeReference(current.slice(start, target.end), content, ''), target.end];
        return [write(content, target.url, target.title), target.end];
      });
    };
    const shortcuts = (current) =>
      current.replace(/\[([^[\]]+)]/g, (whole, content) => writeReference(whole, content, ''));
    const mentions = (current) =>
      current.replace(/(^|\s)(\\)?@([a-z\d](?:[a-z\d.-]*[a-z\d])?)/gim, (_, before, isEscaped, name) => {
        if (isEscaped) return `${before}@${name}`;
        return `${before}<a href="${String(options.ghMentionsLink).replace(/\{u}/g, name)}"${newWindow(options)}>@${name}</a>`;
      });
    const steps = text.includes('[') ? [references, inline('angled'), inline('plain'), shortcuts] : [];
    const linked = steps.reduce((current, step) => step(current), text);
    return options.ghMentions ? mentions(linked) : linked;
  };

  // --- Addresses without brackets ---

  const writeLink = (address, options, append = '') => {
    const shown = escapeIn(address);
    return `<a href="${shown.replace(/^www\./i, 'http://www.')}"${newWindow(options)}>${shown}</a>${append}`;
  };
  // Showdown hides addresses from robots: each character is written in a random way.
  const encodeAddress = (text) =>
    text.replace(/./g, (char) => {
      const random = Math.random();
      if (char !== '@' && random > 0.9) return char;
      return random > 0.45 ? `&#x${char.charCodeAt(0).toString(16)};` : `&#${char.charCodeAt(0)};`;
    });
  const writeMail = (address, options) => {
    const plain = markdown.unescape(address);
    if (!options.encodeEmails) return `<a href="mailto:${plain}">${plain}</a>`;
    return `<a href="${encodeAddress('mailto:' + plain)}">${encodeAddress(plain)}</a>`;
  };
  const SCHEME = '(?:(?:https?|ftp|dict):\\/\\/|www\\.)';
  const autoLinks = (text, options) => {
    if (!text.includes('<')) return text;
    const stop = nextPlaces(text, (i) => /['">\s]/.test(text[i]));
    const linked = replaceAt(text, new RegExp('<' + SCHEME, 'gi'), (start, [scheme]) => {
      const end = stop[start + scheme.length];
      if (end === NEVER || text[end] !== '>' || end === start + scheme.length) return undefined;
      return [writeLink(text.slice(start + 1, end), options), end + 1];
    });
    return linked.replace(/<(?:mailto:)?([-.\w]+@[-a-z0-9]+(?:\.[-a-z0-9]+)*\.[a-z]+)>/gi, (_, mail) => writeMail(mail, options));
  };
  const simpleLinks = (text, options) => {
    if (!options.simplifiedAutoLink) return text;
    const stop = nextPlaces(text, (i) => /['">\s]/.test(text[i]));
    const dots = nextOf(text, '.');
    let free = 0;
    const linked = replaceAt(text, new RegExp(SCHEME, 'gi'), (start, [scheme]) => {
      // Marks of emphasis before the address may also follow it.
      let from = start;
      while (from > free && '*~_'.includes(text[from - 1])) from--;
      const marks = text.slice(from, start);
      if (marks === '' && start > 0 && /\w/.test(text[start - 1])) return undefined;
      const end = Math.min(stop[start], text.length);
      if (end < text.length && !/\s/.test(text[end])) return undefined;
      const hasMarks = marks !== '' && text.endsWith(marks, end) && end - marks.length > start + scheme.length;
      // An address has a dot.
      const markCount = hasMarks ? marks.length : 0;
      if (dots[start + scheme.length + 1] >= end - markCount - 1) return undefined;
      const address = options.excludeTrailingPunctuationFromURLs
        ? addressEnd(text, start + scheme.length, end, markCount)
        : { end: end - markCount, punctuation: 0 };
      if (address === undefined) return undefined;
      free = end;
      const cut = text.slice(address.end, address.end + address.punctuation);
      const link = writeLink(text.slice(start, address.end), options, cut);
      return [marks + link + text.slice(address.end + address.punctuation, end), end, from];
    });
    return linked.replace(/(^|\s)(?:mailto:)?([A-Za-z0-9!#$%&'*+-/=?^_`{|}~.]+@[-a-z0-9]+(?:\.[-a-z0-9]+)*\.[a-z]+)(?=$|\s)/gim,
      (_, before, mail) => before + writeMail(mail, options));
  };
  // Where an address ends that may be followed by a punctuation mark and the marks of emphasis.
  const addressEnd = (text, from, end, marks) => {
    const isPunctuation = (i) => '.!?,()[]'.includes(text[i]);
    const ends = [[end - marks - 1, 1], [end - marks, 0], ...(marks > 0 ? [[end - 1, 1], [end, 0]] : [])];
    for (let dot = end - 2; dot > from; dot--) {
      if (text[dot] !== '.') continue;
      const found = ends.find(([place, punctuation]) => place >= dot + 2 && (punctuation === 0 || isPunctuation(place)));
      if (found !== undefined) return { end: found[0], punctuation: found[1] };
    }
    return undefined;
  };

  Object.assign(markdown, { images, anchors, autoLinks, simpleLinks });
})
