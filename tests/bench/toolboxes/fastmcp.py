"""An MCP server with the tool of the benchmark. Usage: fastmcp.py PORT"""

import sys

import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("bench", log_level="ERROR")


@server.tool(description="Computes what a customer owes.")
def bill(name: str, lines: list[int]) -> str:
    total = sum(lines)
    return f"{name} owes {total}" if total > 10 else ""


app = server.streamable_http_app(stateless_http=True, json_response=True)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error", access_log=False)
