// What triggers of services make of the bodies and lists that the services give.
(function (n8n) {
  'use strict';

  const { isObject, isGiven, list } = n8n.helpers;

  // --- Forms ---

  /** The value of an answer: the text of a choice, the texts of several choices, or the value itself. */
  const answerOf = (answer) => {
    const value = answer[answer.type];
    return isObject(value) ? (value.label ?? value.labels ?? value) : value;
  };

  /** The answers of Typeform by the titles of their questions. */
  n8n.typeformItem = (body, { onlyAnswers = true, simplifies = true } = {}) => {
    const { answers = [], definition } = body.form_response ?? {};
    const titles = new Map(list(definition?.fields).map(({ id, title }) => [id, title]));
    const titleOf = ({ field }) => {
      const title = String(titles.get(field?.id) ?? field?.ref ?? field?.id);
      return title.replaceAll('{{', '[').replaceAll('}}', ']');
    };
    const given = simplifies ? Object.fromEntries(answers.map((answer) => [titleOf(answer), answerOf(answer)])) : answers;
    return onlyAnswers ? given : { ...body, form_response: { ...body.form_response, answers: given } };
  };

  /** The answers of Jotform, by the texts of the questions if these are given. */
  n8n.jotformItem = (body, { onlyAnswers = true, questions } = {}) => {
    const answers = n8n.parsed(body.rawRequest) ?? {};
    const texts = new Map(Object.values(questions ?? {}).map(({ qid, name, text }) => [`q${qid}_${name}`, text]));
    const named = Object.entries(answers).map(([name, value]) => [texts.get(name), value]);
    const given = questions ? Object.fromEntries(named.filter(([name]) => isGiven(name))) : answers;
    return onlyAnswers ? given : { ...body, rawRequest: given };
  };

  // --- Others ---

  /** An event of HubSpot names its object by the kind: `contactId`. */
  n8n.hubspotEvent = ({ objectId, ...event }) => {
    const kind = String(event.subscriptionType).split('.')[0];
    return { ...event, [`${kind}Id`]: objectId };
  };
  n8n.calItem = ({ triggerEvent, createdAt, payload }) => ({ triggerEvent, createdAt, ...payload });

  /** The events of a calendar to which something happened during the last day. */
  n8n.calendarChanges = ({ items: events = [] }, kind) => {
    const since = $now.minus({ days: 1 });
    const isRecent = (time) => isGiven(time) && n8n.helpers.toDate(time) > since && n8n.helpers.toDate(time) <= $now;
    const isCancelled = ({ status }) => status === 'cancelled';
    const isChanged = ({ created, updated }) => new Date(updated) - new Date(created) > 1000;
    const timeOf = (end) => end?.dateTime ?? end?.date;
    const tests = {
      eventCreated: (event) => !isCancelled(event) && isRecent(event.created),
      eventUpdated: (event) => !isCancelled(event) && isChanged(event),
      eventCancelled: isCancelled,
      eventStarted: ({ start }) => isRecent(timeOf(start)),
      eventEnded: ({ end }) => isRecent(timeOf(end)),
    };
    return events.filter(tests[kind] ?? (() => true));
  };

  n8n.outlookSimple = ({ id, conversationId, subject, bodyPreview, from, toRecipients, categories, hasAttachments }) => ({
    id,
    conversationId,
    subject,
    bodyPreview,
    from: from?.emailAddress?.address,
    to: list(toRecipients).map(({ emailAddress }) => emailAddress?.address),
    categories,
    hasAttachments,
  });
})
