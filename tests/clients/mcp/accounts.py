"""An MCP server whose users sign in with their accounts, written with the official SDK: it is its own authorization server (OAuth
2.1, with registration of clients and PKCE). Usage: accounts.py

Prints its base URL; the server is at `<base URL>/mcp`. Each sign-in agrees at once, and is that of another account.
"""

import secrets
import time

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, AuthorizationCode, RefreshToken, construct_redirect_uri
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken

from servers import serve

VALID_S = 3600


class Accounts:
    """Keeps clients, codes and tokens in memory."""

    def __init__(self, issuer):
        self.issuer, self.clients, self.codes, self.access, self.refresh = issuer, {}, {}, {}, {}
        self.count = 0

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client):
        self.clients[client.client_id] = client

    async def authorize(self, client, asked):
        self.count += 1
        code = AuthorizationCode(
            code=secrets.token_urlsafe(32), client_id=client.client_id, scopes=asked.scopes or [],
            expires_at=time.time() + 60, code_challenge=asked.code_challenge, redirect_uri=asked.redirect_uri,
            redirect_uri_provided_explicitly=asked.redirect_uri_provided_explicitly, resource=asked.resource,
            subject=f"account-{self.count}",
        )  # fmt: skip
        self.codes[code.code] = code
        return construct_redirect_uri(str(asked.redirect_uri), code=code.code, state=asked.state, iss=self.issuer)

    async def load_authorization_code(self, client, code):
        return self.codes.get(code)

    async def exchange_authorization_code(self, client, code):
        del self.codes[code.code]
        return self.grant(client, code.scopes, code.subject, code.resource)

    async def load_refresh_token(self, client, token):
        return self.refresh.get(token)

    async def exchange_refresh_token(self, client, token, scopes):
        del self.refresh[token.token]
        return self.grant(client, scopes, token.subject, None)

    async def load_access_token(self, token):
        return self.access.get(token)

    async def revoke_token(self, token):
        self.access.pop(token.token, None)
        self.refresh.pop(token.token, None)

    def grant(self, client, scopes, subject, resource):
        issued = {"client_id": client.client_id, "scopes": scopes, "subject": subject}
        access, refresh = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        expires = int(time.time()) + VALID_S
        self.access[access] = AccessToken(token=access, expires_at=expires, resource=resource, **issued)
        self.refresh[refresh] = RefreshToken(token=refresh, **issued)
        return OAuthToken(access_token=access, refresh_token=refresh, expires_in=VALID_S, scope=" ".join(scopes))


def build(base_url):
    settings = AuthSettings(
        issuer_url=base_url, resource_server_url=f"{base_url}/mcp", validate_token_resource=True,
        client_registration_options=ClientRegistrationOptions(enabled=True),
    )  # fmt: skip
    server = MCPServer("accounts", log_level="WARNING", auth=settings, auth_server_provider=Accounts(base_url))

    @server.tool(description="Tells whose account is used.")
    def whoami() -> str:
        return get_access_token().subject

    return server.streamable_http_app()


if __name__ == "__main__":
    serve(build)
