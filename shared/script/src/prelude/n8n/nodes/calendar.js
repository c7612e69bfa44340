// Google Calendar and Google Docs.
(function (n8n) {
  'use strict';

  const { isObject, isGiven, list, idOf, toDate } = n8n.helpers;

  /** An event from the parameters of n8n. */
  n8n.calendarEvent = ({ start, end, fields = {}, reminders, useDefaultReminders }) => {
    const [from, to] = [fields.start ?? start, fields.end ?? end];
    const isDay = fields.allday === 'yes';
    const timeZone = idOf(fields.timezone) || DateTime.local().zoneName;
    const at = (value) => {
      if (!isGiven(value)) return undefined;
      if (isObject(value) && !value.toISO) return value;
      return isDay ? { date: toDate(value).toFormat('yyyy-MM-dd') } : { dateTime: n8n.instant(value), timeZone };
    };
    const guests = [...list(fields.attendees), ...list(fields.attendeesUi?.values?.attendees)];
    const conference = fields.conferenceDataUi?.conferenceDataValues?.conferenceSolution;
    const overrides = list(reminders?.remindersValues).map(({ method = 'email', minutes = 0 }) => ({ method, minutes }));
    const rule = [
      isGiven(fields.repeatFrecuency) && `FREQ=${String(fields.repeatFrecuency).toUpperCase()}`,
      isGiven(fields.repeatHowManyTimes) && `COUNT=${fields.repeatHowManyTimes}`,
      isGiven(fields.repeatUntil) && `UNTIL=${toDate(fields.repeatUntil).toUTC().toFormat("yyyyMMdd'T'HHmmss'Z'")}`,
    ]
      .filter(Boolean)
      .join(';');
    return {
      summary: fields.summary,
      description: fields.description,
      location: fields.location,
      start: at(from),
      end: at(to),
      attendees:
        guests.length > 0
          ? guests.flatMap((guest) => String(guest).split(',')).map((email) => ({ email: email.trim() }))
          : undefined,
      colorId: fields.color,
      visibility: fields.visibility,
      transparency: fields.showMeAs,
      id: fields.id,
      guestsCanInviteOthers: fields.guestsCanInviteOthers,
      guestsCanModify: fields.guestsCanModify,
      guestsCanSeeOtherGuests: fields.guestsCanSeeOtherGuests,
      maxAttendees: fields.maxAttendees,
      recurrence: isGiven(fields.rrule) ? [`RRULE:${fields.rrule}`] : rule ? [`RRULE:${rule};`] : undefined,
      reminders: useDefaultReminders === false ? { useDefault: false, overrides } : undefined,
      conferenceData: isGiven(conference)
        ? { createRequest: { requestId: crypto.randomUUID(), conferenceSolutionKey: { type: conference } } }
        : undefined,
    };
  };

  n8n.docsRequests = (actions) =>
    actions.map((action) => {
      const { object = 'text', text = '', replaceText = '', matchCase = false, index, locationChoice, segmentId = '' } = action;
      const place =
        locationChoice === 'location' && isGiven(index) ? { location: { segmentId, index: Number(index) } } : { endOfSegmentLocation: { segmentId } };
      if (action.action === 'replaceAll')
        return { replaceAllText: { containsText: { text, matchCase }, replaceText: String(replaceText ?? '') } };
      if (object === 'pageBreak') return { insertPageBreak: place };
      if (object === 'table')
        return { insertTable: { rows: Number(action.rows ?? 1), columns: Number(action.columns ?? 1), ...place } };
      if (action.action === 'insert' || action.action === undefined)
        return { insertText: { text: String(text ?? ''), ...place } };
      throw new Error(`The change "${action.action}" of "${object}" is not supported`);
    });

  /** A document with its text. */
  n8n.docsText = (document) => {
    const read = (content) =>
      list(content)
        .map((element) => {
          if (element.paragraph)
            return list(element.paragraph.elements)
              .map((piece) => piece.textRun?.content ?? '')
              .join('');
          if (element.table)
            return element.table.tableRows.flatMap((row) => row.tableCells.map((cell) => read(cell.content))).join('');
          return '';
        })
        .join('');
    return { documentId: document.documentId, content: read(document.body?.content) };
  };
});
