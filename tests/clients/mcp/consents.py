"""An authorization server and an API that takes its tokens. The server is that of the official SDK for MCP: OAuth 2.1 with
registration of clients, PKCE, refresh tokens that count once, and revocation. Usage: consents.py

Prints its base URL. Each sign-in agrees at once. The first access token of a consent is due for renewal at once.
"""

from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions, RevocationOptions
from mcp.server.mcpserver import MCPServer
from starlette.responses import JSONResponse
from starlette.routing import Route

from accounts import Accounts
from servers import serve


class CountedAccounts(Accounts):
    def __init__(self, issuer):
        super().__init__(issuer)
        self.seen = {"renewals": 0, "revocations": 0, "calls": []}

    async def exchange_authorization_code(self, client, code):
        granted = await super().exchange_authorization_code(client, code)
        return granted.model_copy(update={"expires_in": 0})

    async def exchange_refresh_token(self, client, token, scopes):
        self.seen["renewals"] += 1
        return await super().exchange_refresh_token(client, token, scopes)

    async def revoke_token(self, token):
        self.seen["revocations"] += 1
        # The SDK revokes one token. RFC 7009 wants those of the same consent revoked, too.
        self.access = {name: access for name, access in self.access.items() if access.subject != token.subject}
        await super().revoke_token(token)


def build(base_url):
    accounts = CountedAccounts(base_url)
    settings = AuthSettings(
        issuer_url=base_url, resource_server_url=f"{base_url}/mcp", validate_token_resource=False,
        client_registration_options=ClientRegistrationOptions(enabled=True), revocation_options=RevocationOptions(enabled=True),
    )  # fmt: skip
    app = MCPServer("consents", log_level="WARNING", auth=settings, auth_server_provider=accounts).streamable_http_app()

    async def api(request):
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        access = await accounts.load_access_token(token)
        accounts.seen["calls"].append(token)
        return JSONResponse({"account": access and access.subject}, 200 if access else 401)

    async def seen(_):
        return JSONResponse(accounts.seen)

    async def forget(_):
        """Ends all consents, as a person does in the settings of their account."""
        accounts.access.clear()
        accounts.refresh.clear()
        return JSONResponse({})

    app.router.routes += [Route("/api", api), Route("/seen", seen), Route("/forget", forget, methods=["POST"])]
    return app


if __name__ == "__main__":
    serve(build)
