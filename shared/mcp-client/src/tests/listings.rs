//! Lists of tools: pages, limits, what is refused, and who shares a list.

use super::*;
use crate::limits::MAX_TOOLS;

fn endpoint(org: OrgId, url: &str) -> Endpoint<'_> {
    Endpoint { org, url, credential: None }
}

async fn list(server: &McpServer) -> Result<Arc<Listing>, McpError> {
    client().list_tools(endpoint(OrgId::new(), &server.url()), LIMIT).await
}

#[tokio::test]
async fn all_pages_are_read() {
    let tools = (0..500).map(|number| tool(&format!("tool_{number}"))).collect();
    let server = McpServer::start(Manner { tools, page_size: 60, ..Manner::default() }).await;
    let listing = list(&server).await.unwrap();
    assert_eq!((listing.tools.len(), listing.refused.len()), (500, 0));
    assert_eq!(listing.tools[499].name, "tool_499");
    let server_info = (&*listing.server.name, &*listing.server.version, &*listing.server.protocol_version);
    assert_eq!(server_info, ("test", "1.2", "2025-11-25"));
    assert_eq!(server.methods().iter().filter(|method| *method == "tools/list").count(), 9);
    assert_eq!(server.open_sessions(), 0);
}

#[tokio::test]
async fn a_list_without_end_is_refused() {
    let tools = |count: usize| (0..count).map(|number| tool(&format!("tool_{number}"))).collect::<Vec<_>>();
    for (tools, page_size) in [(tools(MAX_TOOLS + 1), 0), (tools(150), 1)] {
        let server = McpServer::start(Manner { tools, page_size, ..Manner::default() }).await;
        assert_eq!(list(&server).await.unwrap_err(), McpError::ListingTooLarge);
    }
}

#[tokio::test]
async fn tools_that_cannot_be_used_are_named() {
    let broken = json!({"name": "broken", "inputSchema": {"type": "object", "properties": 7}});
    let tools = vec![tool("search"), tool("search"), tool("a b"), broken];
    let server = McpServer::start(Manner { tools, ..Manner::default() }).await;
    let listing = list(&server).await.unwrap();
    assert_eq!(listing.tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["search"]);
    let refused: Vec<_> = listing.refused.iter().map(|tool| (&*tool.name, &*tool.problem)).collect();
    assert_eq!(refused[0], ("search", "another tool has this name"));
    assert!(refused[1].1.starts_with("its name has other characters"), "{refused:?}");
    assert!(refused[2].1.starts_with("inputSchema.properties:"), "{refused:?}");
}

#[tokio::test]
async fn a_token_is_needed_where_the_server_wants_one() {
    let server = McpServer::with_tools(&["search"]).await;
    server.change(|manner| manner.token = Some("s3cret".to_owned()));
    let refused = list(&server).await.unwrap_err();
    assert_eq!(refused.code(), "mcp_unauthorized");
    let (right, wrong) = (bearer("s3cret"), bearer("other"));
    let url = server.url();
    let with = async |credential| {
        let endpoint = Endpoint { org: OrgId::new(), url: &url, credential: Some((CredentialId::new(), credential)) };
        client().list_tools(endpoint, LIMIT).await
    };
    assert_eq!(with(&wrong).await.unwrap_err().code(), "mcp_unauthorized");
    assert_eq!(with(&right).await.unwrap().tools.len(), 1);
}

/// A list that one organization or one credential has read is never shown to another.
#[tokio::test]
async fn lists_are_kept_apart_by_organization_and_credential() {
    let server = McpServer::with_tools(&["search"]).await;
    let (client, url) = (client(), server.url());
    let lists = || server.methods().iter().filter(|method| *method == "tools/list").count();
    let (one, other) = (OrgId::new(), OrgId::new());
    for _ in 0..2 {
        client.known_tools(endpoint(one, &url), LIMIT).await.unwrap();
    }
    assert_eq!(lists(), 1);
    client.known_tools(endpoint(other, &url), LIMIT).await.unwrap();
    assert_eq!(lists(), 2);
    let credential = bearer("s3cret");
    for (id, expected) in [(CredentialId::new(), 3), (CredentialId::new(), 4)] {
        let endpoint = Endpoint { credential: Some((id, &credential)), ..endpoint(one, &url) };
        for _ in 0..2 {
            client.known_tools(endpoint, LIMIT).await.unwrap();
        }
        assert_eq!(lists(), expected);
    }
    // A new list replaces the known one.
    server.change(|manner| manner.tools.clear());
    client.list_tools(endpoint(one, &url), LIMIT).await.unwrap();
    assert!(client.known_tools(endpoint(one, &url), LIMIT).await.unwrap().tools.is_empty());
    assert_eq!(client.known_tools(endpoint(other, &url), LIMIT).await.unwrap().tools.len(), 1);
}

#[tokio::test]
async fn what_is_no_server_of_the_protocol_is_refused() {
    let server = McpServer::with_tools(&["search"]).await;
    let url = server.url().replace("/mcp", "/other");
    let refused = client().list_tools(endpoint(OrgId::new(), &url), LIMIT).await.unwrap_err();
    assert_eq!(refused.to_string(), "the server answered with status 404: there is no MCP server; check the URL");
}
