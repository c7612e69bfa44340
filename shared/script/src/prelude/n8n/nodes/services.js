// What imported nodes of other services need.
(function (n8n) {
  'use strict';

  const { isObject, isGiven, list, contentOf, encodeBase64, splitNames, idOf, toDate } = n8n.helpers;

  // --- Slack and Discord ---

  /** The answer of Slack, whose errors have status 200. */
  n8n.slackAnswer = (body) => {
    if (body?.ok === false) throw new Error(`Slack answered with the error "${body.error}"`);
    return body;
  };
  /** The answer of Slack with the time of a message under the name of n8n. */
  n8n.slackMessage = (body) => {
    const { ts, ...answer } = n8n.slackAnswer(body);
    return ts === undefined ? answer : { ...answer, message_timestamp: ts };
  };
  n8n.slackThread = (ts) => (isGiven(ts) ? String(ts) : undefined);
  n8n.slackBlocks = (value) => {
    const parsed = n8n.parsed(value);
    return Array.isArray(parsed) ? parsed : parsed?.blocks;
  };
  const bytesOf = (file) => Buffer.from(contentOf(file), 'base64').length;
  n8n.slackUploadUrl = (file) =>
    n8n.withQuery('https://slack.com/api/files.getUploadURLExternal', { filename: file.name, length: bytesOf(file) });
  /** An item for the upload, with what is sent when it is complete. */
  n8n.slackUpload = (body, file, options, title = file.name) => {
    const { upload_url: url, file_id: id } = n8n.slackAnswer(body);
    return { json: { url, complete: { files: [{ id, title }], ...options } }, binary: { file } };
  };

  // --- LinkedIn ---

  /** A text without the marks of LinkedIn. */
  n8n.linkedInText = (text) => String(text).replace(/[\\|{}@[\]()<>*_~]/g, '\\$&');
  /** An item for the upload of an image, with the post that shows it. */
  n8n.linkedInImage = ({ value }, post, property) => {
    const media = { ...post.content.media, id: value.image };
    const [image] = n8n.filesNamed([property]);
    return { json: { url: value.uploadUrl, post: { ...post, content: { media } } }, binary: { image } };
  };

  /** Attachments, whose fields are in a list of the editor. */
  n8n.mattermostAttachments = (attachments) =>
    list(attachments).map((attachment) => (attachment.fields?.item ? { ...attachment, fields: attachment.fields.item } : attachment));

  const DISCORD_FLAGS = { SUPPRESS_EMBEDS: 4, SUPPRESS_NOTIFICATIONS: 4096 };
  n8n.discordFlags = (flags) => list(flags).reduce((sum, flag) => sum + (DISCORD_FLAGS[flag] ?? 0), 0) || undefined;
  n8n.discordColor = (color) => (typeof color === 'string' ? parseInt(color.replace('#', ''), 16) || 0 : color);

  // --- Airtable ---

  n8n.airtableRecord = ({ id, createdTime, fields }, names) => ({
    id,
    createdTime,
    ...(Array.isArray(names) ? n8n.only(fields, names) : fields),
  });
  n8n.airtableMatch = (columns) => {
    const equal = ([name, value]) => {
      const literal =
        typeof value === 'number' || typeof value === 'boolean' ? Number(value) : n8n.texts.quote(String(value ?? ''), "'");
      return `{${name}} = ${literal}`;
    };
    return `AND(${Object.entries(columns).map(equal).join(', ')})`;
  };

  // --- SQL ---

  /** The values of placeholders: a list, or a text with commas. */
  n8n.sqlValues = (value) =>
    Array.isArray(value)
      ? value
      : typeof value === 'string'
        ? value.split(',').map((part) => part.trim())
        : isGiven(value)
          ? [value]
          : [];

  // --- Supabase ---

  // Operators whose value is a word or a list.
  const UNQUOTED = new Set(['is', 'in', 'cs', 'cd', 'ov']);
  /** Conditions of PostgREST. */
  n8n.supabaseFilter = ({ conditions, match, text, type, isRequired = false }) => {
    const quoted = (value) => (/[,.:()"\\\s]/.test(String(value)) ? n8n.texts.quote(String(value)) : String(value));
    // A value in a list of conditions has quotes, unless it is a list itself.
    const valueOf = (operator, value) => (UNQUOTED.has(operator) ? value : quoted(value));
    if (isGiven(text) && (type === 'string' || !conditions)) {
      const parts = String(text)
        .split('&')
        .filter((part) => part.includes('='));
      const written = parts.map((part) => {
        const at = part.indexOf('=');
        const [name, value] = [part.slice(0, at).trim(), part.slice(at + 1).trim()];
        if (['and', 'or'].includes(name)) return `${name}${value}`;
        const [, not, operator, given] = /^(not\.)?(\w+(?:\([^)]*\))?)\.([^]*)$/.exec(value) ?? [];
        return operator === undefined ? `${name}.${value}` : `${name}.${not ?? ''}${operator}.${valueOf(operator, given)}`;
      });
      return written.length > 0 ? `(${written.join(',')})` : undefined;
    }
    const written = list(conditions)
      .filter(({ keyName }) => isGiven(keyName))
      .map(({ keyName, condition = 'eq', keyValue, searchFunction }) => {
        const operator = condition === 'fullText' ? (searchFunction ?? 'fts') : condition;
        return `${quoted(keyName)}.${operator}.${valueOf(operator, keyValue ?? '')}`;
      });
    if (written.length === 0 && isRequired) throw new Error('At least one select condition must be defined');
    if (written.length === 0) return undefined;
    return match === 'allFilters' || written.length === 1 ? `(${written.join(',')})` : `(or(${written.join(',')}))`;
  };

  // --- GitHub and GitLab ---

  /** The name of an owner or a repository, which may be in its URL. */
  n8n.githubName = (value) =>
    String(value)
      .replace(/\/+$/, '')
      .replace(/\.git$/, '')
      .split('/')
      .at(-1);
  n8n.repositoryContent = ({ text = '', binary, property = 'data' }) => {
    if (binary === true) return contentOf($binary[property]);
    return encodeBase64(isObject(text) || Array.isArray(text) ? JSON.stringify(text) : String(text));
  };
  /** A file of a repository as a file of the item. */
  n8n.repositoryFile = ({ name, file_name: fileName = name, content = '' }, property = 'data') => ({
    json: $json,
    binary: {
      ...$binary,
      [property]: { base64: String(content).replaceAll('\n', ''), contentType: 'application/octet-stream', name: fileName },
    },
  });
  n8n.gitlabProject = ({ owner, repo }) => [owner, repo].filter(isGiven).join('/');

  // --- Jira, Linear and Zendesk ---

  const named = (value, field) => (/^\d+$/.test(String(value)) ? { id: String(value) } : { [field]: String(value) });
  /** The fields of an issue for version 2 of the API, in which a description is a text. */
  n8n.jiraFields = ({ project, issueType, summary, description, fields = {}, version }) => {
    // A server knows a person by name, and the cloud by id.
    const person = (id) => (/^server/.test(version) ? { name: id } : { id });
    const reference = (value, make) => (isGiven(idOf(value)) ? make(idOf(value)) : undefined);
    const [type, labels] = [fields.issueType ?? issueType, list(fields.labels ?? fields.serverLabels)];
    const components = list(fields.componentIds);
    const custom = list(fields.customFieldsUi?.customFieldsValues).map(({ fieldId, fieldValue }) => [
      String(idOf(fieldId) ?? '').trim(),
      fieldValue,
    ]);
    return {
      summary: [fields.summary, summary].find(isGiven),
      project: reference(project, (id) => named(id, 'key')),
      issuetype: reference(type, (id) => named(id, 'name')),
      description: [description, fields.description].find(isGiven),
      labels: labels.length > 0 ? labels.flatMap(splitNames) : undefined,
      assignee: reference(fields.assignee, person),
      reporter: reference(fields.reporter, person),
      priority: reference(fields.priority, (id) => named(id, 'name')),
      components: components.length > 0 ? components.map((id) => ({ id })) : undefined,
      parent: reference(fields.parentIssueKey, (key) => ({ key: String(key).toUpperCase() })),
      ...Object.fromEntries(custom.filter(([id]) => isGiven(id))),
    };
  };
  n8n.linearFields = ({ priorityId, ...fields }) => ({
    ...fields,
    ...(isGiven(priorityId) ? { priority: Number(priorityId) } : {}),
  });
  n8n.zendeskTicket = (fields) => {
    const { customFieldsUi, internalNote, publicReply, externalId, assigneeEmail, group, recipient, ...more } = fields;
    const custom = list(customFieldsUi?.customFieldsValues);
    const comment = isGiven(internalNote)
      ? { html_body: internalNote, public: false }
      : isGiven(publicReply)
        ? { body: publicReply, public: true }
        : undefined;
    return {
      ...more,
      comment,
      external_id: externalId,
      assignee_email: assigneeEmail,
      group_id: group,
      recipient,
      custom_fields: custom.length > 0 ? custom : undefined,
    };
  };
  n8n.zendeskQuery = ({ query, status, group }) =>
    ['type:ticket', query, isGiven(status) && `status:${status}`, isGiven(group) && `group:${group}`].filter(Boolean).join(' ');

  // --- Outlook ---

  const recipients = (value) =>
    isGiven(value)
      ? list(value)
          .flatMap((one) => String(one).split(/[,;]/))
          .map((address) => ({ emailAddress: { address: address.trim() } }))
      : undefined;
  n8n.outlookMessage = ({ to, subject, content, fields = {} }) => {
    const body = content ?? fields.bodyContent;
    // Without a type, the service reads the content as text.
    const contentType = fields.bodyContentType ?? fields.contentType;
    const files = n8n.files(
      list(fields.attachments?.attachments)
        .map(({ binaryPropertyName }) => binaryPropertyName)
        .filter(isGiven),
    );
    const categories = typeof fields.categories === 'string' ? [fields.categories] : fields.categories;
    return {
      subject: fields.subject ?? subject,
      body: body === undefined ? undefined : { contentType, content: String(body) },
      toRecipients: recipients(to ?? fields.toRecipients),
      ccRecipients: recipients(fields.ccRecipients),
      bccRecipients: recipients(fields.bccRecipients),
      replyTo: recipients(fields.replyTo),
      from: recipients(fields.from)?.[0],
      importance: fields.importance,
      categories,
      isRead: fields.isRead,
      attachments:
        files.length > 0
          ? files.map(({ name, base64 }) => ({
              '@odata.type': '#microsoft.graph.fileAttachment',
              name,
              contentBytes: base64,
            }))
          : undefined,
    };
  };
  n8n.outlookFilter = ({ since, folders, custom, receivedAfter, receivedBefore, readStatus, hasAttachments, sender }) => {
    const timeOf = (time) => toDate(time).toUTC().toISO();
    // A time that the service can read stays as it is.
    const boundOf = (time) => (/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(time) ? time : timeOf(time));
    const parts = [isGiven(since) && `receivedDateTime ge ${timeOf(since)}`];
    const inFolder = (id) => `parentFolderId eq '${String(id).replaceAll("'", "''")}'`;
    if (list(folders).length > 0) parts.push(`(${list(folders).map(inFolder).join(' or ')})`);
    if (isGiven(sender)) {
      const quoted = `'${String(sender).replaceAll("'", "''")}'`;
      parts.push(`(from/emailAddress/address eq ${quoted} or from/emailAddress/name eq ${quoted})`);
    }
    if (hasAttachments === true) parts.push('hasAttachments eq true');
    if (readStatus === 'read' || readStatus === 'unread') parts.push(`isRead eq ${readStatus === 'read'}`);
    if (isGiven(receivedAfter)) parts.push(`receivedDateTime ge ${boundOf(receivedAfter)}`);
    if (isGiven(receivedBefore)) parts.push(`receivedDateTime le ${boundOf(receivedBefore)}`);
    parts.push(custom);
    return parts.filter(Boolean).join(' and ') || undefined;
  };

  // --- NocoDB and Firecrawl ---

  /** A row, from a list of names and values or from the fields of the item. */
  n8n.fieldRow = (row) =>
    Array.isArray(row) ? Object.fromEntries(row.map(({ fieldName, fieldValue }) => [fieldName, fieldValue])) : row;
  n8n.firecrawlBody = ({ options = {}, custom, ...body }) => {
    const { formats, headers, includeTags, excludeTags, ...more } = options;
    const tags = (given) => (given === undefined ? undefined : list(given.items).flatMap(({ tag }) => splitNames(tag)));
    const named = list(formats?.format ?? formats).map(({ type = 'markdown', ...format }) =>
      Object.keys(format).length > 0 ? { type, ...format } : type,
    );
    return {
      ...body,
      ...more,
      formats: named.length > 0 ? named : undefined,
      includeTags: tags(includeTags),
      excludeTags: tags(excludeTags),
      ...n8n.parsed(custom),
    };
  };

  // --- Models ---

  /** Files as parts of a message to Gemini. */
  n8n.geminiFiles = (files) =>
    files.map((file) => ({ inlineData: { mimeType: file.contentType ?? 'application/octet-stream', data: contentOf(file) } }));
  /** The pages that Mistral has read. */
  n8n.mistralPages = ({ pages = [], ...answer }) => ({
    ...answer,
    extractedText: pages.map(({ markdown }) => markdown).join('\n\n'),
    pageCount: pages.length,
    pages,
  });

  // --- Others ---

  n8n.youtubeParts = (parts, all) => {
    const named = list(parts);
    return named.length === 0 || named.includes('*') ? all : named.join(',');
  };
  n8n.youtubeSnippet = ({ tags, ...fields }) => ({ ...fields, tags: isGiven(tags) ? splitNames(tags) : undefined });
  n8n.lastSegment = (value) => String(idOf(value)).split('?')[0].replace(/\/+$/, '').split('/').at(-1);
  n8n.trelloId = (value) => /trello\.com\/[bc]\/(\w+)/.exec(String(value))?.[1] ?? value;
  n8n.redditName = (id, prefix) => (/^t\d_/.test(String(id)) ? String(id) : `${prefix}${id}`);
  n8n.mondayAnswer = (body) => {
    if (body?.errors?.length > 0 || body?.error_message) throw new Error(body.error_message ?? body.errors[0].message);
    return body.data;
  };
  /** The answer of a GraphQL server, whose errors may have status 200. */
  n8n.graphqlAnswer = (body) => {
    if (body?.errors) throw new Error(list(body.errors).map(({ message }) => message).join(', ') || 'Unexpected error');
    return body;
  };
  /** The text of an answer. It is an error only if it has nothing else. */
  n8n.graphqlText = (body) => JSON.stringify(body?.data === undefined ? n8n.graphqlAnswer(body) : body);
  n8n.twilioNumber = ({ number, isWhatsApp }) =>
    isWhatsApp === true && !String(number).startsWith('whatsapp:') ? `whatsapp:${number}` : String(number ?? '');
  n8n.twilioTwiml = ({ message = '', twiml }) => {
    if (twiml === true) return String(message);
    return `<Response><Say>${String(message).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</Say></Response>`;
  };
  n8n.wordpressFields = ({ title, more = {} }) => {
    const { authorId, commentStatus, pingStatus, postId, ...fields } = more;
    const ids = (value) => (value === undefined ? undefined : list(value).map(Number));
    return {
      title,
      ...fields,
      author: authorId,
      comment_status: commentStatus,
      ping_status: pingStatus,
      categories: ids(fields.categories),
      tags: ids(fields.tags),
    };
  };
  n8n.wooFields = ({ name, email, more = {}, images, metadata }) => {
    const snake = (text) => text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const fields = Object.fromEntries(Object.entries(more).map(([key, value]) => [snake(key), value]));
    if (fields.categories !== undefined) fields.categories = list(fields.categories).map((id) => ({ id }));
    if (fields.tags !== undefined) fields.tags = list(fields.tags).map((id) => ({ id }));
    return { name, email, ...fields, images, meta_data: metadata };
  };
  const SALESFORCE_NAMES = {
    acconuntId: 'AccountId',
    mobilePhone: 'MobilePhone',
    owner: 'OwnerId',
    firstname: 'FirstName',
    lastname: 'LastName',
    emailBouncedReason: 'EmailBouncedReason',
  };
  n8n.salesforceFields = ({ fields = {}, more = {}, external }) => {
    const written = { ...fields };
    for (const [name, value] of Object.entries(more)) {
      if (name === 'customFieldsUi')
        for (const { fieldId, value: content } of list(value?.customFieldsValues)) written[fieldId] = content;
      else if (isGiven(value)) written[SALESFORCE_NAMES[name] ?? name[0].toUpperCase() + name.slice(1)] = value;
    }
    // Salesforce refuses the field that is in the address.
    return n8n.without(written, [external]);
  };
  /** The fields of a record if none are chosen. */
  const SALESFORCE_FIELDS = {
    Account: 'id,name,type',
    Case: 'id,accountId,contactId,priority,status,subject,type',
    Contact: 'id,firstname,lastname,email',
    Lead: 'id,company,firstname,lastname,street,postalCode,city,email,status',
    Opportunity: 'id,accountId,amount,probability,type',
    Task: 'id,subject,status,priority',
  };
  /** A date, a time or a number, which has no quotes. */
  const isSoqlLiteral = (text) => /^-?\d+(\.\d+)?$|^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(text);
  n8n.salesforceQuery = ({ object, fields, conditions, limit, all }) => {
    const chosen = typeof fields === 'string' ? splitNames(fields) : list(fields);
    const literal = (value) =>
      typeof value === 'string' && !isSoqlLiteral(value) ? n8n.texts.quote(value, "'") : (value?.toISO?.() ?? value);
    const where = list(conditions).map(
      ({ field, operation = 'equal', value }) => `${field} ${operation === 'equal' ? '=' : operation} ${literal(value)}`,
    );
    const names = chosen.length > 0 ? chosen.join(',') : (SALESFORCE_FIELDS[object] ?? 'FIELDS(STANDARD)');
    // All standard fields can be read of 200 records at most.
    const most = all !== true ? (limit ?? 50) : names.startsWith('FIELDS(') ? 200 : undefined;
    const parts = [`SELECT ${names} FROM ${object}`, where.length > 0 && `WHERE ${where.join(' AND ')}`, most && `LIMIT ${most}`];
    return parts.filter(Boolean).join(' ');
  };

  // --- Pipedrive ---

  /** Fields that are objects in version 1 of the API: those of a linked record. */
  const PIPEDRIVE_LINKS = {
    deal: ['creator_user_id', 'user_id', 'person_id', 'org_id'],
    person: ['owner_id', 'org_id'],
    organization: ['owner_id'],
  };
  /** The fields of a version 1 record for an own field: an amount also has a currency, and a range an end. */
  const pipedriveField = ([key, value]) =>
    isObject(value)
      ? Object.entries(value).map(([name, part]) => [name === 'value' ? key : `${key}_${name}`, part])
      : [[key, Array.isArray(value) ? value.join(',') : value]];
  const pipedriveTime = (value) => value.replace(/^(\d{4}-\d\d-\d\d)T([\d:]{8})(?:\.\d+)?Z$/, '$1 $2');
  /** A record of version 2 of the API with the form of version 1, which n8n gives. */
  n8n.pipedriveRecord = (kind, { custom_fields: own, emails, phones, label_ids: labels, is_deleted: isDeleted, ...record }) => {
    const fields = Object.entries({
      ...record,
      ...(emails && { email: emails }),
      ...(phones && { phone: phones }),
      ...(labels && { label: labels.length > 0 ? labels.join(',') : null }),
      ...(isDeleted !== undefined && { active_flag: !isDeleted }),
    });
    const written = fields.map(([name, value]) => {
      const key = name === 'owner_id' && ['deal', 'activity'].includes(kind) ? 'user_id' : name;
      if (typeof value === 'number' && PIPEDRIVE_LINKS[kind]?.includes(key)) return [key, { value }];
      return [key, typeof value === 'string' && name.endsWith('_time') ? pipedriveTime(value) : value];
    });
    return Object.fromEntries([...written, ...Object.entries(own ?? {}).flatMap(pipedriveField)]);
  };
});
