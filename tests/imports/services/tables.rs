//! Tables of differences that mean nothing to a service.

/// The same method of an API under two addresses.
pub const PATHS: &[(&str, &str)] = &[
    ("gmail.googleapis.com/", "www.googleapis.com/"),
    ("tasks.googleapis.com/", "www.googleapis.com/"),
    ("youtube.googleapis.com/", "www.googleapis.com/"),
    ("graph.facebook.com/v13.0/", "graph.facebook.com/v23.0/"),
    ("graph.facebook.com/v21.0/", "graph.facebook.com/v23.0/"),
    ("graph.microsoft.com/beta/", "graph.microsoft.com/v1.0/"),
    ("/me/drive/items/root/", "/me/drive/root/"),
    ("api.twitter.com/2/", "api.x.com/2/"),
    ("api.todoist.com/rest/v2/", "api.todoist.com/api/v1/"),
    (".salesforce.com/services/data/v59.0/", ".salesforce.com/services/data/v62.0/"),
    (".myshopify.com/admin/api/2024-07//", ".myshopify.com/admin/api/2026-01/"),
    // The names of objects may have small letters.
    ("/sobjects/account", "/sobjects/Account"),
    ("/sobjects/case", "/sobjects/Case"),
    ("/sobjects/contact", "/sobjects/Contact"),
    ("/sobjects/lead", "/sobjects/Lead"),
    ("/sobjects/opportunity", "/sobjects/Opportunity"),
    ("/sobjects/task", "/sobjects/Task"),
    // A search has the same answer in both versions.
    ("api.pipedrive.com/v1/deals/search", "api.pipedrive.com/api/v2/deals/search"),
    ("api.pipedrive.com/v1/organizations/search", "api.pipedrive.com/api/v2/organizations/search"),
    ("api.pipedrive.com/v1/persons/search", "api.pipedrive.com/api/v2/persons/search"),
    // The title of a sheet may have quotes.
    ("'", ""),
];
/// Services that answer the same with an end of the path and without it.
pub const ENDS: &[(&str, &str)] =
    &[(".zendesk.com/api/v2/", ".json"), ("oauth.reddit.com/", ".json"), ("api.monday.com/v2", "/")];
/// Parameters that a credential adds, that the method does not have, or that are its defaults. The folder of data of apps is not a drive of a user, and
/// shared drives may be given where there are none.
pub const IGNORED_QUERY: &[(&str, &str)] = &[
    ("", "access_token=secret"),
    ("", "APPID=secret"),
    ("oauth.reddit.com/", "api_type=json"),
    ("/gmail/v1/users/me/messages/send", "format="),
    ("/drive/v3/files", "supportsTeamDrives=true"),
    ("/drive/v3/files", "supportsAllDrives="),
    ("/drive/v3/files", "spaces="),
    ("/drive/v3/files", "maxResults="),
    ("/drive/v3/files/", "corpora="),
    ("/drive/v3/files/", "includeItemsFromAllDrives="),
    ("/gmail/", "metadataHeaders="),
    ("/gmail/v1/users/me/messages/", "maxResults="),
    ("/gmail/v1/users/me/messages/", "q="),
    ("/gmail/v1/users/me/messages/", "labelIds="),
    ("/gmail/v1/users/me/messages/", "includeSpamTrash="),
    // These lists have no limit: n8n cuts them.
    ("api.clickup.com/", "limit="),
    ("api.trello.com/", "limit="),
    ("/tasks/", "showDeleted=false"),
    ("/tasks/", "showHidden=false"),
    ("/tasks/", "showCompleted=true"),
    ("/deals/search", "exact_match=false"),
    ("/rest/api/2/issue/", "deleteSubtasks=false"),
];
/// Fields of a body that are the default of the API, or that it does not have.
pub const IGNORED_FIELDS: &[(&str, &str)] = &[
    ("includeLinkToWorkflow", "false"),
    ("copyRequiresWriterPermission", "false"),
    ("allowFileDiscovery", "false"),
    ("saveToSentItems", "true"),
    ("reply_broadcast", "false"),
    ("labelListVisibility", "\"labelShow\""),
    ("messageListVisibility", "\"show\""),
    ("mail_settings", r#"{"sandbox_mode":{"enable":false}}"#),
    ("parents", r#"["root"]"#),
    ("parents", "[]"),
    ("attachments", "[]"),
    ("props", r#"{"attachments":[]}"#),
    ("recurrence", "[]"),
    ("sheets", "[]"),
    ("content", "\"\""),
    ("notify_all", "false"),
    ("assignees", r#"{"add":[],"rem":[]}"#),
    ("sorts", "[]"),
    ("page_size", "100"),
];
/// The same for the method with this end of its path. A value may be left out here.
pub const IGNORED_FIELDS_OF: [(&str, &str, &str); 8] = [
    // New issues of GitHub and GitLab.
    ("/issues", "labels", "[]"),
    ("/issues", "labels", "\"\""),
    ("/issues", "assignees", "[]"),
    ("/issues", "assignee_ids", "[]"),
    ("/issues", "due_date", "\"\""),
    // The id of the list is in the address.
    ("/members", "listId", ""),
    // `sorts` says both.
    ("/contacts/search", "sortBy", ""),
    ("/contacts/search", "direction", ""),
];
/// Services for which an empty parameter is none.
pub const WITHOUT_EMPTY: [&str; 2] = ["hn.algolia.com/", "api.trello.com/"];

/// Fields of bodies that say nothing more than no field if they are empty: those of Notion and of GraphQL.
pub const EMPTY: [&str; 3] = ["children", "variables", "operationName"];
