//! The data files, which are part of the program.

use std::sync::LazyLock;

use crate::service::Service;

macro_rules! data_files {
    ($($id:literal)*) => {
        const FILES: &[(&str, &str)] = &[$(($id, include_str!(concat!("../data/", $id, ".json")))),*];
    };
}

data_files! {
    "airtable"
    "asana"
    "clickup"
    "discord"
    "github"
    "gitlab"
    "gmail"
    "google-calendar"
    "google-docs"
    "google-drive"
    "google-sheets"
    "google-tasks"
    "hacker-news"
    "hubspot"
    "intercom"
    "jira"
    "linear"
    "mailchimp"
    "microsoft-teams"
    "monday"
    "notion"
    "onedrive"
    "openweathermap"
    "outlook"
    "pipedrive"
    "reddit"
    "salesforce"
    "sendgrid"
    "shopify"
    "slack"
    "stripe"
    "supabase"
    "todoist"
    "trello"
    "twilio"
    "woocommerce"
    "wordpress"
    "x"
    "youtube"
    "zendesk"
}

/// All services, in the order of their names.
pub fn all() -> &'static [Service] {
    static ALL: LazyLock<Vec<Service>> = LazyLock::new(|| {
        let mut services: Vec<Service> = FILES.iter().map(|(id, text)| read(id, text)).collect();
        services.sort_by_cached_key(|service| service.name.to_lowercase());
        services
    });
    &ALL
}

pub fn find(id: &str) -> Option<&'static Service> {
    all().iter().find(|service| service.id == id)
}

/// Reads a data file. A test reads all of them, so a file that cannot be read is never published.
fn read(id: &str, text: &str) -> Service {
    let service: Service = serde_json::from_str(text).unwrap_or_else(|error| panic!("data/{id}.json: {error}"));
    assert_eq!(service.id, id, "the id of a service is the name of its file");
    service
}
