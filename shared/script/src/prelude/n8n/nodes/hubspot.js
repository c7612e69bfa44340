// HubSpot: properties by the names of n8n, and records in the form that n8n gives.
(function (n8n) {
  'use strict';

  const { isObject, isGiven, list } = n8n.helpers;

  const HUBSPOT_NAMES = {
    companyName: 'company',
    companyDomainName: 'domain',
    websiteUrl: 'website',
    phoneNumber: 'phone',
    mobilePhoneNumber: 'mobilephone',
    streetAddress: 'address',
    postalCode: 'zip',
    countryRegion: 'country',
    stateRegion: 'state',
    jobTitle: 'jobtitle',
    contactOwner: 'hubspot_owner_id',
    companyOwner: 'hubspot_owner_id',
    dealOwner: 'hubspot_owner_id',
    ticketOwnerId: 'hubspot_owner_id',
    dealName: 'dealname',
    dealType: 'dealtype',
    closeDate: 'closedate',
    stage: 'dealstage',
    dealStage: 'dealstage',
    ticketName: 'subject',
    description: 'description',
    lifeCycleStage: 'lifecyclestage',
    lifecycleStatus: 'hs_lead_status',
    leadStatus: 'hs_lead_status',
    numberOfEmployees: 'numberofemployees',
    annualRevenue: 'annualrevenue',
    yearFounded: 'founded_year',
    linkedInCompanyPage: 'linkedin_company_page',
    linkedinUrl: 'hs_linkedin_url',
    twitterHandle: 'twitterhandle',
    twitterBio: 'twitterbio',
    twitterFollowers: 'twitterfollowers',
    totalMoneyRaised: 'total_money_raised',
    companySize: 'company_size',
    priority: 'hs_ticket_priority',
    stageId: 'hs_pipeline_stage',
    pipelineId: 'hs_pipeline',
    category: 'hs_ticket_category',
    membershipNote: 'membership_note',
    originalSource: 'hs_analytics_source',
    timezone: 'timezone',
    targetAccount: 'hs_target_account',
    aboutUs: 'about_us',
  };
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
      const known = kind === 'ticket' && name === 'description' ? 'content' : (HUBSPOT_NAMES[name] ?? name.toLowerCase());
      properties[known] = name === 'closeDate' ? n8n.milliseconds(content) : content;
    }
    for (const { property: name, value } of list(fields.customPropertiesUi?.customPropertiesValues)) {
      if (isGiven(name)) properties[String(isObject(name) ? name.value : name).split('|')[0]] = value;
    }
    return { ...properties, ...(fields.customFields ?? {}) };
  };

  /** A record with the form of HubSpot's older answers, which n8n gives. */
  n8n.hubspotRecord = ({ id, properties = {}, createdAt, updatedAt, archived }, name) => ({
    [name]: Number(id),
    isDeleted: archived === true,
    properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, { value }])),
    addedAt: createdAt && Date.parse(createdAt),
    updatedAt: updatedAt && Date.parse(updatedAt),
  });
  n8n.hubspotFilters = (groups) =>
    list(groups).map(({ filtersUi }) => ({
      filters: list(filtersUi?.filterValues)
        .filter(({ propertyName }) => isGiven(propertyName))
        .map(({ propertyName, operator = 'EQ', value, values, highValue }) => ({
          propertyName: String(isObject(propertyName) ? propertyName.value : propertyName).split('|')[0],
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
  n8n.hubspotAssociations = (associations) => {
    const named = Object.entries(associations ?? {}).filter(([name]) => name.endsWith('Ids'));
    return Object.fromEntries(
      named.map(([name, value]) => [
        name,
        list(value)
          .flatMap((ids) => String(ids).split(','))
          .map((id) => Number(id.trim())),
      ]),
    );
  };
});
