// HubSpot: properties by the names of n8n, and records in the form that n8n gives.
(function (n8n) {
  'use strict';

  const { isObject, isGiven, list, idOf } = n8n.helpers;

  /** Properties whose names are not those of n8n in lower case. */
  const HUBSPOT_NAMES = {
    aboutUs: 'about_us',
    buyingRole: 'hs_buying_role',
    category: 'hs_ticket_category',
    clickedFacebookAd: 'hs_facebook_ad_clicked',
    companyDomainName: 'domain',
    companyName: 'company',
    companyOwner: 'hubspot_owner_id',
    companySize: 'company_size',
    contactOwner: 'hubspot_owner_id',
    countryRegion: 'country',
    countryRegionCode: 'hs_country_region_code',
    dateOfBirth: 'date_of_birth',
    dealOwner: 'hubspot_owner_id',
    emailCustomerQuarantinedReason: 'hs_email_customer_quarantined_reason',
    employmentRole: 'hs_role',
    employmentSeniority: 'hs_seniority',
    employmentSubRole: 'hs_sub_role',
    enrichedEmailBounceDetected: 'hs_enriched_email_bounce_detected',
    facebookClickId: 'hs_facebook_click_id',
    faxNumber: 'fax',
    fieldOfStudy: 'field_of_study',
    googleAdClickId: 'hs_google_click_id',
    googlePlusPage: 'googleplus_page',
    graduationDate: 'graduation_date',
    inferredLanguageCodes: 'hs_inferred_language_codes',
    isPublic: 'is_public',
    jobFunction: 'job_function',
    latestTrafficSource: 'hs_latest_source',
    latestTrafficSourceDate: 'hs_latest_source_timestamp',
    leadStatus: 'hs_lead_status',
    lifecycleStatus: 'lifecyclestage',
    linkedInCompanyPage: 'linkedin_company_page',
    linkedinUrl: 'hs_linkedin_url',
    maritalStatus: 'marital_status',
    memberEmail: 'hs_content_membership_email',
    membershipNote: 'hs_content_membership_notes',
    militaryStatus: 'military_status',
    mobilePhoneNumber: 'mobilephone',
    originalSource: 'hs_analytics_source',
    originalSourceType: 'hs_analytics_source',
    persona: 'hs_persona',
    phoneNumber: 'phone',
    pipelineId: 'hs_pipeline',
    postalCode: 'zip',
    prefferedLanguage: 'hs_language',
    priority: 'hs_ticket_priority',
    processingContactData: 'hs_legal_basis',
    prospectingAgentLastEnrolled: 'hs_prospecting_agent_last_enrolled',
    prospectingAgentTotalEnrolledCount: 'hs_prospecting_agent_total_enrolled_count',
    relationshipStatus: 'relationship_status',
    resolution: 'hs_resolution',
    source: 'source_type',
    stage: 'dealstage',
    stageId: 'hs_pipeline_stage',
    startDate: 'start_date',
    stateRegion: 'state',
    stateRegionCode: 'hs_state_code',
    streetAddress: 'address',
    streetAddress2: 'address2',
    targetAccount: 'hs_target_account',
    ticketName: 'subject',
    ticketOwnerId: 'hubspot_owner_id',
    timeZone: 'hs_timezone',
    totalMoneyRaised: 'total_money_raised',
    twitterUsername: 'twitterhandle',
    webTechnologies: 'web_technologies',
    websiteUrl: 'website',
    whatsappPhoneNumber: 'hs_whatsapp_phone_number',
    workEmail: 'work_email',
    yearFounded: 'founded_year',
  };
  /** The same of one kind of records. */
  const NAMES_OF_KINDS = {
    contact: { numberOfEmployees: 'numemployees', status: 'hs_content_membership_status' },
    ticket: { closeDate: 'closed_date', description: 'content' },
  };
  const TIMES = ['closeDate', 'createDate', 'latestTrafficSourceDate', 'prospectingAgentLastEnrolled'];
  const NO_PROPERTIES = [
    'customPropertiesUi',
    'properties',
    'propertiesCollection',
    'associations',
    'associatedVids',
    'associatedCompany',
    'associatedCompanyIds',
    'associatedContactIds',
    'customFields',
    'resolveData',
  ];

  /** The properties of a record, from the fields of n8n. */
  n8n.hubspotFields = (kind, { fields = {}, ...more }) => {
    const properties = { ...more };
    for (const [name, value] of Object.entries(fields)) {
      const content = isObject(value) && 'value' in value ? value.value : value;
      if (NO_PROPERTIES.includes(name) || !isGiven(content)) continue;
      const known = NAMES_OF_KINDS[kind]?.[name] ?? HUBSPOT_NAMES[name] ?? name.toLowerCase();
      const written = TIMES.includes(name) ? n8n.milliseconds(content) : content;
      properties[known] = Array.isArray(written) ? written.join(';') : written;
    }
    for (const { property: name, value } of list(fields.customPropertiesUi?.customPropertiesValues)) {
      if (isGiven(name)) properties[String(idOf(name)).split('|')[0]] = value;
    }
    return { ...properties, ...(fields.customFields ?? {}) };
  };

  /** A record with the form of HubSpot's older answers, which n8n gives. */
  n8n.hubspotRecord = ({ id, properties = {}, createdAt, updatedAt, archived }, name) => ({
    [name]: Number(id),
    isDeleted: archived === true,
    properties: Object.fromEntries(
      Object.entries(properties)
        .filter(([, value]) => value !== null)
        .map(([key, value]) => [key, { value }]),
    ),
    addedAt: createdAt && Date.parse(createdAt),
    updatedAt: updatedAt && Date.parse(updatedAt),
  });
  /** The same of a deal that was read with its contacts and companies. */
  n8n.hubspotDeal = (record) => {
    const idsOf = (kind) => [...new Set(list(record.associations?.[kind]?.results).map(({ id }) => Number(id)))];
    const associations = { associatedVids: idsOf('contacts'), associatedCompanyIds: idsOf('companies') };
    return { ...n8n.hubspotRecord(record, 'dealId'), associations };
  };
  const ASSOCIATION_TYPES = { deal: { contact: 3, company: 5 }, ticket: { contact: 16, company: 26 } };
  /** The associations of a new deal or ticket, from the ids of n8n. */
  n8n.hubspotLinks = (kind, { contacts, companies }) => {
    const link = (to) => (id) => ({
      to: { id: String(id) },
      types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: ASSOCIATION_TYPES[kind][to] }],
    });
    return [...list(contacts).filter(isGiven).map(link('contact')), ...list(companies).filter(isGiven).map(link('company'))];
  };
  n8n.hubspotFilters = (groups) =>
    list(groups).map(({ filtersUi }) => ({
      filters: list(filtersUi?.filterValues)
        .filter(({ propertyName }) => isGiven(propertyName))
        .map(({ propertyName, operator = 'EQ', value, values, highValue }) => ({
          propertyName: String(idOf(propertyName)).split('|')[0],
          operator,
          ...(['HAS_PROPERTY', 'NOT_HAS_PROPERTY'].includes(operator)
            ? {}
            : { value: isGiven(value) ? String(value) : value, values, highValue }),
        })),
    }));
  n8n.hubspotSince = (since, propertyName) => [
    { filters: [{ propertyName, operator: 'GTE', value: String(n8n.milliseconds(since)) }] },
  ];
  n8n.hubspotEngagement = ({ type = 'note', timestamp, ownerId }) => ({
    type: String(type).toUpperCase(),
    ownerId,
    timestamp: n8n.milliseconds(timestamp),
  });
  const emailsOf = (addresses) =>
    list(addresses)
      .flatMap((some) => String(some).split(','))
      .filter((email) => email.trim() !== '')
      .map((email) => ({ email: email.trim() }));
  /** The content of an engagement. An e-mail has its people in objects; n8n does not send `toEmail`. */
  n8n.hubspotMetadata = ({ type, metadata }) => {
    if (type === 'email') {
      const { fromEmail: email, firstName, lastName, cc, bcc } = metadata;
      const content = n8n.without(metadata, ['fromEmail', 'firstName', 'lastName', 'toEmail']);
      return { ...content, from: { email, firstName, lastName }, cc: emailsOf(cc), bcc: emailsOf(bcc) };
    }
    if (type !== 'meeting') return metadata;
    const [startTime, endTime] = [metadata.startTime, metadata.endTime].map(n8n.milliseconds);
    return { ...metadata, startTime, endTime };
  };
  n8n.hubspotAssociations = (associations) => {
    const named = Object.entries(associations ?? {}).filter(([name, ids]) => name.endsWith('Ids') && isGiven(ids));
    const idsOf = (value) => list(value).flatMap((ids) => String(ids).split(','));
    return Object.fromEntries(named.map(([name, value]) => [name, idsOf(value).map((id) => id.trim())]));
  };
});
