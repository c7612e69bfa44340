//! The tools of a server, page by page. A tool that cannot be used is left out and named with the reason.

use std::collections::HashSet;

use domain::text::shorten_to;
use serde_json::Value;

use crate::error::McpError;
use crate::limits::{MAX_CURSOR_BYTES, MAX_LISTING_BYTES, MAX_PAGES, MAX_TITLE_CHARS, MAX_TOOLS};
use crate::server::ServerInfo;
use crate::session::Session;
use crate::tool::ListedTool;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    pub server: ServerInfo,
    /// Each name once.
    pub tools: Vec<ListedTool>,
    pub refused: Vec<RefusedTool>,
}

/// A tool that cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub struct RefusedTool {
    pub name: String,
    pub problem: String,
}

impl Listing {
    pub fn find(&self, name: &str) -> Option<&ListedTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    fn add(&mut self, listed: Value, names: &mut HashSet<String>) {
        let name = shorten_to(listed["name"].as_str().unwrap_or_default(), MAX_TITLE_CHARS).into_owned();
        let tool = match names.insert(name.clone()) {
            true => ListedTool::read(listed),
            false => Err("another tool has this name".to_owned()),
        };
        match tool {
            Ok(tool) => self.tools.push(tool),
            Err(problem) => self.refused.push(RefusedTool { name, problem }),
        }
    }
}

impl Session<'_> {
    pub async fn list_tools(&mut self) -> Result<Listing, McpError> {
        let mut listing = Listing { server: self.server.clone(), ..Listing::default() };
        let (mut names, mut cursor, mut bytes) = (HashSet::new(), None::<String>, 0);
        for _ in 0..MAX_PAGES {
            let mut page = self.list_page(cursor.as_deref()).await?;
            let Some(Value::Array(tools)) = page.remove("tools") else {
                return Err(McpError::InvalidAnswer("the answer to `tools/list` has no list of tools"));
            };
            for tool in tools {
                bytes += tool.to_string().len();
                if names.len() + listing.refused.len() >= MAX_TOOLS || bytes > MAX_LISTING_BYTES {
                    return Err(McpError::ListingTooLarge);
                }
                listing.add(tool, &mut names);
            }
            let next = page.remove("nextCursor").and_then(|next| next.as_str().map(str::to_owned));
            let Some(next) = next.filter(|next| !next.is_empty()) else { return Ok(listing) };
            // A server that repeats itself would be asked until the last page.
            if next.len() > MAX_CURSOR_BYTES || cursor.as_ref() == Some(&next) {
                return Err(McpError::InvalidAnswer(
                    "the next page of `tools/list` is the same one, or its cursor is too long",
                ));
            }
            cursor = Some(next);
        }
        Err(McpError::ListingTooLarge)
    }
}
