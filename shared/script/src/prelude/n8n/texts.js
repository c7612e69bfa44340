// The methods that n8n adds to texts. `extensions.js` says how expressions get them.
(function (n8n) {
  'use strict';

  const { Array, Buffer, Date, JSON, Map, Number, Object, RegExp, String, TextEncoder, URL } = globalThis;
  const fail = (message) => n8n.fail(message);

  // --- Addresses ---

  const HOST = '(?:localhost|\\d{1,3}(?:\\.\\d{1,3}){3}|(?:[\\w-]+\\.)+(?:[a-z]{2,}|xn--[a-z\\d-]+))';
  const AFTER_HOST = '(?::\\d+)?(?:[/?#]\\S*)?$';
  const DOMAIN = new RegExp(`^${HOST}${AFTER_HOST}`, 'i');
  const HOST_OF_URL = new RegExp(`^(?:(?:(?:https?|ftp|mailto):)?//)?(${HOST})${AFTER_HOST}`, 'i');
  const WEB_URL = new RegExp(`(?:https?|ftp)://${HOST}\\S*`, 'i');
  const WHOLE_URL = new RegExp(`^(?:https?|ftp)://${HOST}\\S*$`, 'i');
  const EMAIL_DOMAIN = /(?:\[\d{1,3}(?:\.\d{1,3}){3}\]|(?:[a-z\d-]+\.)+[a-z]{2,})/iy;
  const NO_EMAIL = /[<>()[\]\\,;:\s@"]/;
  // The part of an email address before the @, which ends the text: words between dots, or a text in quotes.
  const readMailbox = (before) => {
    if (before.endsWith('"')) {
      const line = before.slice(before.lastIndexOf('\n') + 1);
      const start = line.indexOf('"');
      return line.length - start > 2 ? line.slice(start) : '';
    }
    let start = before.length;
    while (start > 0 && !NO_EMAIL.test(before[start - 1]) && !(before[start - 1] === '.' && before[start] === '.')) start--;
    const mailbox = before.slice(start).replace(/^\.+/, '');
    return mailbox.endsWith('.') ? '' : mailbox;
  };
  // The first email address: [mailbox, domain].
  const findEmail = (text) => {
    for (let at = text.indexOf('@'), from = 0; at >= 0; from = at + 1, at = text.indexOf('@', from)) {
      EMAIL_DOMAIN.lastIndex = at + 1;
      const domain = EMAIL_DOMAIN.exec(text);
      const mailbox = domain === null ? '' : readMailbox(text.slice(from, at));
      if (mailbox !== '') return [mailbox, domain[0]];
    }
    return undefined;
  };
  const isEmail = (text) => !text.includes(' ') && findEmail(text) !== undefined;

  // --- Numbers, words and characters ---

  // The signs of currencies are no part of a number.
  const CURRENCY = /NT\$|TT\$|RD\$|BZ\$|[CJZ]\$|B\/\.|S\/\.|CHF|lei|Lek|Дин\.|ден|лв|kn|kr|zł|Br|Bs|Ft|Gs|KM|Kč|MT|R[pM]|[$LPQRS¢£¥ƒ؋฿៛₡₦₨₩₪₫€₭₮₱₴₹₺₼₽﷼]/g;
  const toInteger = (text, radix) => {
    const number = Number.parseInt(text.replace(CURRENCY, ''), radix);
    return number === number ? number : fail('cannot convert to integer');
  };
  const toDecimal = (text) => {
    if (text.includes(',')) fail('cannot convert to float, expected . as decimal separator');
    const number = Number.parseFloat(text.replace(CURRENCY, ''));
    return number === number ? number : fail('cannot convert to float');
  };
  const SMALL_WORDS = /\b(?:an?|and|as|at|because|but|by|en|for|if|in|neither|nor|of|on|only|or|over|per|so|some|than|that|the|to|up|upon|versus|via|vs?|when|with|without|yet)\b/i;
  // Words that are written with capitals or dots inside, such as `iPhone` and `n8n.io`, stay.
  const SPECIAL_WORD = /.(?:[A-Z]|\..)/;
  const toTitleWord = (word, at, text) => {
    if (SPECIAL_WORD.test(word)) return word;
    const end = at + word.length;
    if (SMALL_WORDS.test(word) && at > 0 && end < text.length) return word;
    if (text[end] === ':' && end + 1 < text.length && !/\s/.test(text[end + 1])) return word;
    return word.replace(/[A-Za-z0-9\u00c0-\u00ff]/, (first) => first.toUpperCase());
  };
  // What is removed of Markdown and HTML, in this order: each pattern with what stays of it.
  const MARKDOWN = [
    [/^(\s*)(?:[*+-]|\d\.)\s+/gm, '$1'], [/\n={2,}/g, '\n'], [/~~/g, ''], [/`{3}.*\n/g, ''], [/<[\w\s='":(),;/.|-]+[>|\\]/g, ''],
    [/^[=-]{2,}\s*$/g, ''], [/\[\^.+?\](?:: .*?$)?/g, ''], [/\s{0,2}\[.*?\]: .*?$/g, ''], [/!\[.*?\][[(].*?[\])]/g, ''],
    [/\[(.*?)\][[(].*?[\])]/g, '$1'], [/>/g, ''], [/^#{1,6}\s*([^#]*)\s*(?:#{1,6})?/gm, '$1'],
    [/([*_]{1,3})(\S.*?\S)\1/g, '$2'], [/(`{3,})(.*?)\1/gm, '$2'], [/`(.+?)`/g, '$1'], [/\n{2,}/g, '\n\n'],
  ];
  // Characters that are not a letter with accents, each before what replaces it.
  const PLAIN = new Map(Object.entries({
    ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', þ: 'th', Þ: 'Th', ł: 'l',
    Ł: 'L', ħ: 'h', Ħ: 'H', ı: 'i', ŋ: 'ng', Ŋ: 'NG', ŧ: 't', Ŧ: 'T', ſ: 's', '‘': "'", '’': "'", '‚': ',', '“': '"', '”': '"', '„': ',,',
    '‹': '<', '›': '>', '«': '<<', '»': '>>', '–': '-', '—': '--', '‐': '-', '‑': '-', '…': '...', '•': '*', '¿': '?', '¡': '!', '×': 'x',
    '÷': '/', '⁄': '/', '£': 'PS', '€': 'EU', '¥': 'Y=', '©': '(c)', '®': '(r)', '™': '(tm)', '°': 'deg', '±': '+-', '·': '*', '¢': 'C/',
    '§': 'SS', '¶': 'P',
  }));
  const CYRILLIC = 'а:a,б:b,в:v,г:g,д:d,е:e,ё:yo,ж:zh,з:z,и:i,й:y,к:k,л:l,м:m,н:n,о:o,п:p,р:r,с:s,т:t,у:u,ф:f,х:h,ц:c,ч:ch,ш:sh,щ:sch,ъ:,ы:y,ь:,э:e,ю:yu,я:ya';
  const GREEK = 'α:a,β:v,γ:g,δ:d,ε:e,ζ:z,η:i,θ:th,ι:i,κ:k,λ:l,μ:m,ν:n,ξ:ks,ο:o,π:p,ρ:r,σ:s,ς:s,τ:t,υ:y,φ:f,χ:x,ψ:ps,ω:o';
  for (const pair of `${CYRILLIC},${GREEK}`.split(',')) {
    const [letter, plain] = pair.split(':');
    PLAIN.set(letter, plain);
    PLAIN.set(letter.toUpperCase(), plain.slice(0, 1).toUpperCase() + plain.slice(1));
  }
  const toPlain = (character) => {
    const known = PLAIN.get(character);
    if (known !== undefined) return known;
    // What remains after its accents are removed. Scripts without a table here stay as they are.
    const base = character.normalize('NFKD').replace(/\p{M}/gu, '');
    return [...base].map((each) => PLAIN.get(each) ?? each).join('');
  };

  // --- The methods ---

  n8n.texts = {
    __proto__: null,
    hash(text, algorithm) {
      const name = String(algorithm ?? 'md5').toLowerCase();
      if (name === 'base64') return n8n.texts.base64Encode(text);
      const isKnown = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3'].includes(name);
      if (!isKnown) fail(`Unknown algorithm ${algorithm}. Available algorithms are: md5,sha1,sha224,sha256,sha384,sha512,sha3, and Base64.`);
      return Buffer.from(n8n.hash(name === 'sha3' ? 'sha3-512' : name, new TextEncoder().encode(text))).toString('hex');
    },
    removeMarkdown: (text) => MARKDOWN.reduce((result, [pattern, plain]) => result.replace(pattern, plain), text),
    removeTags: (text) => text.replace(/<[^>]*>?/g, ''),
    toDate(text) {
      const date = new Date(text);
      return date.getTime() === date.getTime() ? date : fail('cannot convert to date');
    },
    toDateTime(text, format) {
      const { DateTime } = n8n.luxon();
      if (format) return n8n.readTimestamp(Number(text), format) ?? DateTime.fromFormat(text, format);
      const trimmed = text.trim();
      for (const read of ['fromISO', 'fromHTTP', 'fromRFC2822', 'fromSQL']) {
        const moment = DateTime[read](trimmed, { setZone: true });
        if (moment.isValid) return moment;
      }
      const moment = DateTime.fromJSDate(new Date(text));
      return moment.isValid ? moment : fail('cannot convert to Luxon DateTime');
    },
    toBoolean: (text) => !['', '0', 'false', 'no'].includes(text.toLowerCase()),
    toNumber(text) {
      const number = Number(text.replace(CURRENCY, ''));
      return number === number ? number : fail('cannot convert to number');
    },
    toFloat: toDecimal,
    toDecimalNumber: toDecimal,
    toInt: toInteger,
    toWholeNumber: toInteger,
    toSentenceCase(text) {
      let result = '';
      let isStart = true;
      for (const character of text.toLowerCase()) {
        const isLetter = /\p{L}/u.test(character);
        result += isLetter && isStart ? character.toUpperCase() : character;
        if (isLetter) isStart = false;
        else if ('.!?'.includes(character)) isStart = true;
      }
      return result;
    },
    toSnakeCase: (text) => text.toLowerCase().replace(/[ -]/g, '_').replace(/[!-/:-@[-^`{-~\u2000-\u206f]/g, ''),
    toTitleCase(text) {
      let result = '';
      // Line breaks are lost, as in n8n.
      for (const { 0: word, index } of text.matchAll(/[^\s:–—-]+|./g)) result += toTitleWord(word, index, text);
      return result;
    },
    urlDecode: (text, isWhole = false) => (isWhole ? decodeURI(text) : decodeURIComponent(text)),
    urlEncode: (text, isWhole = false) => (isWhole ? encodeURI(text) : encodeURIComponent(text)),
    quote: (text, mark = '"') => mark + text.replaceAll('\\', '\\\\').replaceAll(mark, '\\' + mark) + mark,
    replaceSpecialChars: (text) => Array.from(text, toPlain).join(''),
    length: (text) => text.length,
    isDomain: (text) => DOMAIN.test(text),
    isEmail,
    isNumeric: (text) => !text.includes(' ') && Number(text) === Number(text) && Number.parseFloat(text) === Number.parseFloat(text),
    isUrl: (text) => WHOLE_URL.test(text),
    isEmpty: (text) => text === '',
    isNotEmpty: (text) => text !== '',
    toJsonString: (text) => JSON.stringify(text),
    extractEmail: (text) => findEmail(text)?.join('@'),
    extractDomain: (text) => (isEmail(text) ? findEmail(text)[1] : HOST_OF_URL.exec(text)?.[1]),
    extractUrl: (text) => WEB_URL.exec(text)?.[0],
    extractUrlPath(text) {
      try {
        return new URL(text).pathname;
      } catch {
        return undefined;
      }
    },
    parseJson(text) {
      try {
        return JSON.parse(text);
      } catch {
        return fail(text.includes("'") ? "Parsing failed. Check you're using double quotes" : 'Parsing failed');
      }
    },
    base64Encode: (text) => Buffer.from(text, 'utf8').toString('base64'),
    base64Decode: (text) => Buffer.from(text.replace(/[^A-Za-z\d+/_-]/g, ''), 'base64').toString('utf8'),
  };
})
