// What n8n's HTTP Request node makes of an answer, and of the parts of a request.
(function (n8n) {
  'use strict';

  // --- The answer ---

  const STATUS_TEXTS = {
    200: 'OK', 201: 'Created', 202: 'Accepted', 203: 'Non-Authoritative Information', 204: 'No Content', 205: 'Reset Content',
    206: 'Partial Content', 207: 'Multi-Status', 300: 'Multiple Choices', 301: 'Moved Permanently', 302: 'Found', 303: 'See Other',
    304: 'Not Modified', 307: 'Temporary Redirect', 308: 'Permanent Redirect', 400: 'Bad Request', 401: 'Unauthorized',
    402: 'Payment Required', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed', 406: 'Not Acceptable',
    408: 'Request Timeout', 409: 'Conflict', 410: 'Gone', 411: 'Length Required', 412: 'Precondition Failed',
    413: 'Payload Too Large', 414: 'URI Too Long', 415: 'Unsupported Media Type', 422: 'Unprocessable Entity', 423: 'Locked',
    424: 'Failed Dependency', 425: 'Too Early', 426: 'Upgrade Required', 428: 'Precondition Required', 429: 'Too Many Requests',
    431: 'Request Header Fields Too Large', 500: 'Internal Server Error', 501: 'Not Implemented', 502: 'Bad Gateway',
    503: 'Service Unavailable', 504: 'Gateway Timeout', 505: 'HTTP Version Not Supported', 507: 'Insufficient Storage',
  };

  // The media that n8n reads as a file unless the node asks for a text.
  const FILES = new RegExp('^(?:image|audio|video)/|^application/(?:octet-stream|gzip|zip|vnd\\.rar|epub\\+zip|x-bzip|x-bzip2|x-cdf' +
    '|vnd\\.amazon\\.ebook|msword|vnd\\.ms-excel|vnd\\.openxmlformats-officedocument\\.[a-z.]+|vnd\\.visio|vnd\\.ms-fontobject' +
    '|x-7z-compressed|x-tar|pdf)$');

  const isFile = (body) =>
    body !== null && typeof body === 'object' && typeof body.base64 === 'string' && typeof body.contentType === 'string';
  const charsetOf = (header) => (/charset="?([\w-]+)/i.exec(header)?.[1] ?? '').toLowerCase();
  const toText = (body, header) => {
    if (typeof body === 'string') return body;
    if (body === null || body === undefined) return '';
    if (!isFile(body)) return JSON.stringify(body);
    return n8n.decodeText(Buffer.from(body.base64, 'base64'), n8n.isEncoding(charsetOf(header)) ? charsetOf(header) : 'utf8');
  };

  // The name that the server gives, the last part of the address, or the property with the extension of the type.
  const nameOf = (output, type, property, url) => {
    const disposition = output.headers?.['content-disposition'] ?? '';
    const named = /filename\*=(?:utf-8'[^']*')?([^;]+)/i.exec(disposition) ?? /filename="?([^";]+)/i.exec(disposition);
    if (named !== null) return decodeName(named[1].trim());
    const path = String(url ?? '').split(/[?#]/)[0].replace(/^[a-z]+:\/\/[^/]*/i, '');
    const last = path.split('/').filter((part) => part !== '').at(-1);
    if (last !== undefined) return last;
    const extension = n8n.extensionOf(type);
    return extension === undefined ? undefined : `${property}.${extension}`;
  };
  const decodeName = (name) => {
    try {
      return decodeURIComponent(name);
    } catch {
      return name;
    }
  };
  const toFile = (output, header, property, url) => {
    const { body } = output;
    const given = header.split(';')[0].trim() || (isFile(body) ? body.contentType : '');
    const name = (isFile(body) ? body.name : undefined) ?? nameOf(output, given, property, url);
    const contentType = given || (name === undefined ? undefined : n8n.typeOfName(name)) || 'text/plain';
    const base64 = isFile(body) ? body.base64 : Buffer.from(toText(body, header)).toString('base64');
    return name === undefined ? { base64, contentType } : { base64, contentType, name };
  };

  const isJson = (header) => header.includes('application/json');
  const detect = (header) => {
    if (isJson(header)) return 'json';
    if (FILES.test(header.split(';')[0].trim())) return 'file';
    return 'text';
  };

  // A text of JSON is written anew, as n8n does.
  const toPlainText = (body, header) => {
    const text = toText(body, header);
    try {
      return isJson(header) ? JSON.stringify(JSON.parse(text)) : text;
    } catch {
      return text;
    }
  };

  // Cookies are a list. A comma is in a date, too, but there no name with `=` follows.
  const splitCookies = (headers) =>
    headers?.['set-cookie'] === undefined ? headers : { ...headers, 'set-cookie': headers['set-cookie'].split(/, *(?=[^;,=\s]+=)/) };

  /** An error whose item has these fields. */
  const failWith = (fields) => {
    throw Object.assign(new Error(fields.message), { fields });
  };
  const failOnStatus = ({ status, body }, header, isParsed) => {
    const shown = JSON.stringify(isParsed ? body : toText(body, header));
    const code = status < 500 ? 'ERR_BAD_REQUEST' : 'ERR_BAD_RESPONSE';
    failWith({ message: `${status} - ${shown}`, name: 'AxiosError', code, status });
  };

  // The names that Node gives to failures of a call.
  const CALL_ERRORS = {
    connection_cut: 'ECONNRESET', destination_unreachable: 'ECONNREFUSED', destination_timeout: 'ECONNABORTED', timeout: 'ECONNABORTED',
  };
  const CODE_ERROR = /^(?:config\.[\w.]+: )?(?:\w*Error: )?([^]*?)(?: \(line \d+, column \d+\))?$/;
  /** The error of a call that the platform reports, `{code, message}`, as n8n shows it in an item. */
  n8n.callError = ({ code, message }) => {
    if (Object.hasOwn(CALL_ERRORS, code)) {
      return { message: code === 'connection_cut' ? 'socket hang up' : message, name: 'Error', code: CALL_ERRORS[code] };
    }
    if (code === 'invalid_response') return 'Invalid JSON in response body';
    return code === 'code_error' ? CODE_ERROR.exec(message)[1] : message;
  };

  /**
   * The items of an answer `{status, headers, body}`. `url` is the address of the request, for the name of a file, and `item` is
   * the item of the request, whose fields an item with a file keeps. An error status is an error, unless `neverError` is set, and so is
   * JSON without a body. `isOld` is set for the first versions of the node: they take an answer without a body, a list is one item unless
   * `splitsLists` is set, and a text that is JSON is read.
   */
  n8n.httpItems = (output, options = {}) => {
    const { fullResponse = false, responseFormat = 'autodetect', outputPropertyName = 'data', neverError = false, url } = options;
    const { isOld = false, splitsLists = !isOld } = options;
    const body = output.body ?? null;
    const header = String(output.headers?.['content-type'] ?? '');
    const format = responseFormat === 'autodetect' ? detect(header) : responseFormat;
    if (output.status >= 400 && !neverError) failOnStatus(output, header, responseFormat === 'json');
    const rest = fullResponse
      ? { headers: splitCookies(output.headers), statusCode: output.status, statusMessage: STATUS_TEXTS[output.status] ?? '' }
      : {};
    const isEmpty = body === null || body === '';
    if (format === 'file') {
      const item = options.item ?? $input.item;
      const binary = { ...item.binary, [outputPropertyName]: toFile(output, header, outputPropertyName, url) };
      return [{ json: fullResponse ? rest : item.json, binary }];
    }
    if (format === 'json' && isMissing(output)) failWithoutBody(responseFormat, options);
    if (format === 'text') {
      const shown = isOld ? readText(body, header) : toPlainText(body, header);
      return [{ json: isEmpty ? rest : { [outputPropertyName]: shown, ...rest } }];
    }
    const value = isEmpty ? {} : parseBody(body, neverError && responseFormat === 'autodetect', isOld ? 'String' : 'Text');
    if (fullResponse) return [{ json: isEmpty ? rest : { body: value, ...rest } }];
    return (splitsLists && Array.isArray(value) ? value : [value]).map((each) => ({ json: each ?? {} }));
  };
  // An empty body and the JSON `null` are both null here. The status and the headers tell them apart.
  const isMissing = ({ status, headers, body }) =>
    body === '' || ((body ?? null) === null && (status === 204 || headers?.['content-length'] === '0'));
  const failWithoutBody = (responseFormat, { fullResponse = false, neverError = false, isOld = false }) => {
    if (isOld) return;
    if (responseFormat === 'autodetect' && !neverError) throw new Error('Invalid JSON in response body');
    if (responseFormat === 'json' && !fullResponse) throw new Error("Cannot read properties of undefined (reading 'data')");
  };
  const readText = (body, header) => {
    const text = toText(body, header);
    const value = n8n.parseJson(text);
    return value === n8n.FAILED ? text : value;
  };
  const parseBody = (body, neverError, textFormat) => {
    if (typeof body !== 'string' && !isFile(body)) return body;
    try {
      const value = JSON.parse(toText(body, ''));
      if (typeof value !== 'string') return value;
    } catch {
      // A JSON string and invalid JSON have the same message.
    }
    if (neverError) return {};
    throw new Error(`Response body is not valid JSON. Change "Response Format" to "${textFormat}"`);
  };

  // --- The request ---

  /** The address of a request, if it is one. */
  n8n.url = (value) => {
    if (typeof value !== 'string') throw new Error(`URL parameter must be a string, got ${value === null ? 'null' : typeof value}`);
    if (!/^\s*https?:\/\//i.test(value)) throw new Error(`Invalid URL: ${value}. URL must start with "http" or "https".`);
    return value;
  };

  const parseParameter = (value, problem) => {
    if (value !== undefined && typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      throw new Error(problem);
    }
  };
  /** The value of a parameter with JSON: a text is parsed. */
  n8n.jsonBody = (value) => parseParameter(value, 'JSON parameter needs to be valid JSON');
  /** The JSON that answers a webhook. */
  n8n.responseBody = (value) => parseParameter(value, "Invalid JSON in 'Response Body' field");

  /** The object of a list of names and values. Names with dots are paths, and a later name replaces an earlier one. */
  n8n.bodyFields = (pairs) => {
    const result = {};
    for (const [name, value] of pairs) n8n.setPath(result, String(name), value);
    return result;
  };

  // The names of nested values, as `a[0][b]`.
  const flatten = (name, value, arrays, pairs) => {
    if (value === undefined || typeof value === 'function') return;
    if (value === null || typeof value !== 'object') pairs.push([name, value === null ? '' : String(value)]);
    else if (value instanceof Date) pairs.push([name, value.toISOString()]);
    else if (DateTime.isDateTime(value)) pairs.push([name, value.toISO()]);
    else if (Array.isArray(value)) {
      value.forEach((each, i) => flatten(arrays === 'repeat' ? name : `${name}[${arrays === 'brackets' ? '' : i}]`, each, arrays, pairs));
    } else {
      for (const key of Object.keys(value)) flatten(`${name}[${key}]`, value[key], arrays, pairs);
    }
  };
  /** Names and texts, from an object or a list of pairs in which a later name replaces an earlier one. */
  const queryPairs = (query, arrays = 'indices') => {
    const pairs = [];
    const fields = Array.isArray(query) ? Object.fromEntries(query) : n8n.jsonBody(query) ?? {};
    for (const name of Object.keys(fields)) flatten(name, fields[name], arrays, pairs);
    return pairs;
  };
  /** A form as a text, from an object or a list of pairs. */
  n8n.formText = (fields, arrays) =>
    queryPairs(fields, arrays).map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
  /** The address with the query added. */
  n8n.withQuery = (url, query, arrays) => {
    const added = n8n.formText(query, arrays);
    if (added === '') return url;
    const [address, fragment] = String(url).split(/(?=#)/);
    return address + (address.includes('?') ? '&' : '?') + added + (fragment ?? '');
  };
})
