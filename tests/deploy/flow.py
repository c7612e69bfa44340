"""The checks of run.sh on the deployed stack. Prints a line per check, and at the end how many passed."""

import base64
import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import alarms
import boto3
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

STACK, PORT, ISSUER_PORT = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
# The command that deploys the stack again, with the parameters of `prod` and this domain. Without it, the stack stays as it is.
UPDATE = sys.argv[4:]
DOMAIN = "api.example.test"
FUNCTIONS = {path.parent.name for path in Path("functions").glob("*/Cargo.toml")}
MAX_POLICY_BYTES = 20_480
PATIENCE_S = int(os.environ.get("PATIENCE_S", 60))

passed = failed = 0


def check(what, ok, seen=""):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    print(f"{'ok  ' if ok else 'FAIL'} {what}" + ("" if ok else f"; seen: {seen}"), flush=True)


class Issuer:
    """A token issuer: signs access tokens, and serves the public key as a JWKS."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        numbers = self.key.public_key().public_numbers()
        point = {name: encoded(n.to_bytes(32, "big")) for name, n in (("x", numbers.x), ("y", numbers.y))}
        jwk = {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "test", **point}
        document = json.dumps({"keys": [jwk]}).encode()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200 if self.path == "/jwks.json" else 404)
                self.send_header("Content-Length", str(len(document)))
                self.end_headers()
                self.wfile.write(document)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", ISSUER_PORT), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def token(self, user, org, expires_in_s=600):
        claims = {
            "iss": f"http://127.0.0.1:{ISSUER_PORT}",
            "aud": "atelier",
            "sub": user,
            "org_id": org,
            "exp": int(time.time()) + expires_in_s,
        }
        parts = ({"alg": "ES256", "kid": "test", "typ": "JWT"}, claims)
        signed = ".".join(encoded(json.dumps(part).encode()) for part in parts)
        r, s = decode_dss_signature(self.key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{encoded(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.text = response.status, response.headers, response.read().decode()
        try:
            self.json = json.loads(self.text)
        except ValueError:
            self.json = {}

    def refuses(self, status, code):
        error = self.json.get("error", {})
        return self.status == status and error.get("code") == code and bool(error.get("message"))

    def __str__(self):
        return f"{self.status} {self.text[:300]}"


class Client:
    """A client of the API Gateway's URL."""

    def __init__(self, api, token=None, stage="v1"):
        self.host = f"{api}.execute-api.localhost:{PORT}"
        self.token, self.stage = token, stage

    def __call__(self, method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()} | {"Host": self.host}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=35)
        try:
            connection.request(method, f"/{self.stage}{path}", body, headers)
            return Answer(connection.getresponse())
        finally:
            connection.close()


def deployment(api):
    lambdas = boto3.client("lambda")
    deployed = {function["FunctionName"] for function in pages(lambdas, "list_functions", "Functions")}
    check("each function of functions/ is deployed", deployed == {f"{STACK}-{name}" for name in FUNCTIONS}, deployed)

    for name in sorted(deployed):
        try:
            size = len(lambdas.get_policy(FunctionName=name)["Policy"].encode())
        except lambdas.exceptions.ResourceNotFoundException:
            size = 0  # only its queue invokes it
        check(f"the resource policy of {name} fits ({size} bytes)", size <= MAX_POLICY_BYTES, size)

    # SAM's default stage would bypass the throttling. Checked by a call, because boto3 cannot read ministack's stages.
    answer = Client(api, stage="Stage")("GET", "/health")
    check("the API has no second stage", answer.status in (403, 404), answer)

    answer = lambdas.invoke(FunctionName=f"{STACK}-ticker", Payload=b"{}")
    said = answer["Payload"].read().decode()
    check("the ticker runs", "FunctionError" not in answer and said == "0", said)


def pages(client, operation, field, **arguments):
    return [item for page in client.get_paginator(operation).paginate(**arguments) for item in page[field]]


def monitoring():
    """Checks that all alarms are deployed, and that they and the dashboard watch what is deployed."""
    cloudwatch = boto3.client("cloudwatch")
    exists = {
        "QueueName": {url.rsplit("/", 1)[1] for url in boto3.client("sqs").list_queues()["QueueUrls"]},
        "TableName": set(boto3.client("dynamodb").list_tables()["TableNames"]),
        "FunctionName": {f"{STACK}-{name}" for name in FUNCTIONS},
        "ApiName": {api["name"] for api in boto3.client("apigateway").get_rest_apis()["items"]},
    }
    groups = {group["logGroupName"] for group in pages(boto3.client("logs"), "describe_log_groups", "logGroups")}
    wanted = {name for name, kind in resources("ResourceType").items() if kind == "AWS::CloudWatch::Alarm"}
    found = {alarm["AlarmName"]: alarm for alarm in pages(cloudwatch, "describe_alarms", "MetricAlarms")}
    deployed = resources("PhysicalResourceId")
    check(f"all {len(wanted)} alarms are deployed", {deployed[name] for name in wanted} == set(found), set(found))
    for name in sorted(wanted):
        alarm = found.get(deployed[name], {"Dimensions": []})
        unknown = [of for of in alarm["Dimensions"] if of["Value"] not in exists.get(of["Name"], {of["Value"]})]
        check(f"{name} watches what exists", name in alarm.get("AlarmDescription", "") and not unknown, alarm)

    dashboard = json.loads(cloudwatch.get_dashboard(DashboardName=STACK)["DashboardBody"])
    text = json.dumps(dashboard)
    check("the dashboard has all references resolved", "${" not in text and len(dashboard["widgets"]) > 10, text)
    for kind, names in exists.items():
        missing = {name for name in names if f'"{name}"' not in text}
        check(f"the dashboard shows each {kind}", not missing, missing)
    sources = set(re.findall("SOURCE '([^']*)'", text))
    check("the dashboard reads the log of each function", sources == groups, sources ^ groups)


def resources(field):
    """This field of each resource of the stack, by its logical id."""
    summaries = pages(boto3.client("cloudformation"), "list_stack_resources", "StackResourceSummaries", StackName=STACK)
    return {summary["LogicalResourceId"]: summary[field] for summary in summaries}


def update(user, neighbour):
    """Deploys the stack again with the parameters of `prod`: it changes in place, and data stays as it is."""
    paths = ["/builder/v1/agents?perPage=50&sort=createdAt", "/builder/v1/workflows"]
    paths += [f"/builder/v1/agents/{agent['id']}" for agent in user("GET", paths[0]).json["data"]]
    made = user("POST", "/builder/v1/workflows", {"name": "Kept"}).json["data"]["id"]
    paths.append(f"/builder/v1/workflows/{made}")
    answers = {path: user("GET", path).text for path in paths}
    before = resources("PhysicalResourceId")

    done = subprocess.run(UPDATE, capture_output=True, text=True)
    check("the stack is deployed again", done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:])
    after = resources("PhysicalResourceId")
    replaced = {name for name in before if after.get(name) != before[name]}
    check("no resource is replaced or deleted", not replaced, replaced)
    new = after.keys() - before.keys()
    check("only the firewall and the domain are new", new == {"Firewall", "FirewallOfApi", "CustomDomain", "CustomDomainMapping"}, new)

    lambdas, logs, dynamodb = (boto3.client(name) for name in ("lambda", "logs", "dynamodb"))
    variables = lambdas.get_function_configuration(FunctionName=f"{STACK}-agents")["Environment"]["Variables"]
    found = pages(boto3.client("cloudwatch"), "describe_alarms", "MetricAlarms")
    notified = {action for alarm in found for action in [*alarm["AlarmActions"], *alarm["OKActions"]]}
    complete = all(alarm["AlarmActions"] and alarm["OKActions"] for alarm in found)
    check("all alarms notify the topic", complete and len(notified) == 1 and notified.pop().endswith(":alarms"), notified)
    check("the functions have the new parameters", variables["METRICS"] == "emf", variables)
    retention = {group.get("retentionInDays") for group in pages(logs, "describe_log_groups", "logGroups")}
    check("the logs have the new retention", retention == {90}, retention)
    for name in ("EntitiesTable", "CountersTable", "JournalTable"):
        try:
            refused = dynamodb.delete_table(TableName=after[name]) and False
        except dynamodb.exceptions.ClientError as error:
            refused = "protect" in str(error)
        check(f"nobody can delete {name}", refused)
    stage = f"arn:aws:apigateway:us-east-1::/restapis/{after['Api']}/stages/v1"
    firewall = boto3.client("wafv2").get_web_acl_for_resource(ResourceArn=stage).get("WebACL", {})
    check("the firewall protects the stage", firewall.get("Id") == after["Firewall"], firewall)

    mappings = boto3.client("apigateway").get_base_path_mappings(domainName=DOMAIN)["items"]
    seen = [(mapping["restApiId"], mapping["stage"], mapping["basePath"]) for mapping in mappings]
    check("the domain leads to the stage, without a base path", seen == [(after["Api"], "v1", "(none)")], mappings)
    check("the functions know their URL", variables["BASE_URL"] == f"https://{DOMAIN}", variables)
    webhook = user("POST", f"/builder/v1/workflows/{made}/webhooks").json.get("data", {})
    check("a webhook has the domain", webhook.get("url", "").startswith(f"https://{DOMAIN}/hooks/v1/"), webhook)

    changed = {path for path, answer in answers.items() if user("GET", path).text != answer}
    check(f"all {len(paths)} requests answer the same as before", not changed, changed)
    answer = neighbour("GET", f"/builder/v1/workflows/{made}")
    check("another user still does not see the workflow: 404", answer.refuses(404, "workflow_not_found"), answer)
    answer = user("DELETE", f"/builder/v1/workflows/{made}")
    check("data made before can be changed: 204", answer.status == 204, answer)


def reference(anyone):
    answer = anyone("GET", "/health")
    check("health answers without a token", answer.status == 200 and answer.json.get("status") == "ok", answer)
    answer = anyone("GET", "/builder/v1/openapi.json")
    check("the OpenAPI document is served", answer.status == 200 and isinstance(answer.json, dict), answer)
    answer = anyone("GET", "/docs/index.html")
    check("the reference page is served", answer.status == 200 and "<html" in answer.text, answer)
    answer = anyone("GET", "/console")
    check("the console is served", answer.status == 200 and "console/console.js" in answer.text, answer)


def refusals(anyone, user, expired):
    agents = "/builder/v1/agents"
    answer = anyone("GET", agents)
    check("no token: 401", answer.refuses(401, "unauthorized"), answer)
    answer = expired("GET", agents)
    check("an expired token: 401", answer.refuses(401, "unauthorized"), answer)
    answer = user("GET", f"{agents}/{uuid.uuid4()}/nothing")
    check("an unknown route: 404", answer.refuses(404, "not_found"), answer)
    # API Gateway itself refuses paths outside of the prefixes, with a 403. The template maps it to a 404, but ministack
    # ignores GatewayResponses.
    answer = user("GET", "/nothing")
    check("an unknown prefix reaches no function", answer.status in (403, 404), answer)
    answer = user("PUT", agents)
    check("a wrong method: 405", answer.refuses(405, "method_not_allowed"), answer)
    answer = user("GET", f"{agents}?page=0")
    check("a bad query: 400", answer.refuses(400, "invalid_query"), answer)


def agents(user, neighbour):
    agents = "/builder/v1/agents"
    created = user("POST", agents)
    check("an agent is created: 201", created.status == 201 and created.headers["ETag"], created)
    agent = created.json.get("data", {}).get("id")

    listed = user("GET", f"{agents}?perPage=5&sort=createdAt")
    ids = [one["id"] for one in listed.json.get("data", [])]
    check("the list shows it", listed.status == 200 and agent in ids, listed)
    answer = neighbour("GET", f"{agents}/{agent}")
    check("another user does not see it: 404", answer.refuses(404, "agent_not_found"), answer)

    version = created.headers["ETag"]
    changed = user("PATCH", f"{agents}/{agent}", {"name": "Émile ✓"}, If_Match=version)
    renamed = changed.json.get("data", {}).get("name") == "Émile ✓"
    check("a patch with If-Match: 200", changed.status == 200 and renamed, changed)
    check("a patch makes a new version", changed.headers["ETag"] not in (None, version), changed.headers)
    answer = user("PATCH", f"{agents}/{agent}", {"name": "Late"}, If_Match=version)
    check("a patch of an old version: 412", answer.refuses(412, "precondition_failed"), answer)

    key = str(uuid.uuid4())
    first, second = (user("POST", agents, Idempotency_Key=key) for _ in range(2))
    check("a repeated idempotency key: the same answer", first.status == 201 and first.text == second.text, second)
    marks = [answer.headers["Idempotent-Replayed"] for answer in (first, second)]
    check("a replay is marked by its header", marks == [None, "true"], marks)


def team(user):
    """Checks the way from `agents` through the queue and its event source mapping to `attention-worker`."""
    agents = "/builder/v1/agents"
    member, lead = (user("POST", agents).json["data"]["id"] for _ in range(2))
    made = user("PATCH", f"{agents}/{lead}", {"type": "multiple", "config": {"members": [member]}})
    works = made.json.get("data", {}).get("status") == "published"
    check("a team is published", made.status == 200 and works, made)
    answer = user("DELETE", f"{agents}/{member}")
    check("its member is deleted: 204", answer.status == 204, answer)

    started = time.monotonic()
    while True:
        seen = user("GET", f"{agents}/{lead}")
        needs_attention = seen.json.get("data", {}).get("status") == "needs_attention"
        waited_s = time.monotonic() - started
        if needs_attention or waited_s > PATIENCE_S:
            break
        time.sleep(0.5)
    check(f"the team needs attention (after {waited_s:.1f} s)", needs_attention, seen)


def workflows(user, neighbour):
    """Checks a draft too large for its item, its release in the bucket, its channels, and a credential's encryption."""
    node = lambda name, kind, config: {"id": name, "type": kind, "name": "", "config": config}
    edge = lambda start, end: {"from": {"node": start, "port": "out"}, "to": {"node": end, "port": "in"}}
    nodes = [node("hook", "webhook", {}), node("say", "template", {"template": "x" * 20_000}), node("end", "send_result", {})]
    graph = {"nodes": nodes, "connections": [edge("hook", "say"), edge("say", "end")]}
    made = user("POST", "/builder/v1/workflows", {"name": "Deployed", "graph": graph})
    check("a workflow is created: 201", made.status == 201, made)
    path = f"/builder/v1/workflows/{made.json.get('data', {}).get('id')}"
    answer = neighbour("GET", path)
    check("another user does not see it: 404", answer.refuses(404, "workflow_not_found"), answer)
    answer = user("POST", f"{path}/publish")
    check("its channel is not configured: 422", answer.refuses(422, "channel_incomplete"), answer)

    webhook = user("POST", f"{path}/webhooks").json.get("data", {})
    check("a webhook shows its URL", "/hooks/v1/" in webhook.get("url", ""), webhook)
    channel = {"nodeId": "hook", "config": {"webhookId": webhook.get("id")}}
    answer = user("PUT", f"{path}/connections", {"inputs": [channel]})
    check("its channel is configured: 200", answer.status == 200, answer)
    published = user("POST", f"{path}/publish", {"notes": "first"})
    check("it is published: 201", published.status == 201, published)
    release = published.json.get("data", {}).get("release", {})
    manifest = user("GET", f"{path}/releases/{release.get('id')}/manifest").json.get("data", {})
    whole = manifest.get("sha256") == release.get("sha256") and manifest.get("graph", {}).get("nodes") == nodes
    check("its manifest is what was published", whole, str(manifest)[:300])
    answer = user("POST", f"{path}/publish")
    check("published again without changes: 409", answer.refuses(409, "no_changes"), answer)

    bearer = {"name": "Tickets", "type": "bearer", "token": "secret"}
    credential = user("POST", f"{path}/webhook-credentials/outbound", bearer)
    check("a credential is sealed: 201", credential.status == 201 and "secret" not in credential.text, credential)
    one = f"{path}/webhook-credentials/outbound/{credential.json.get('data', {}).get('id')}"
    answer = user("POST", f"{one}/test", {"url": "http://169.254.169.254/"})
    error = answer.json.get("data", {}).get("error") or {}
    check("its test cannot reach an internal address", error.get("code") == "destination_forbidden", answer)
    answer = user("DELETE", path)
    check("the workflow is deleted: 204", answer.status == 204, answer)


def workbenches(user):
    """Checks the routes of workbenches. A new stack has no plan with workbenches, so none can be created."""
    answer = user("GET", "/workbenches/v1?ownership=mine")
    check("there are no workbenches", answer.json == {"items": [], "total": 0}, answer)
    answer = user("POST", "/workbenches/v1", {"name": "lab"})
    check("the plan has no workbenches: 422", answer.refuses(422, "LAB_POLICY_UNAVAILABLE"), answer)


def main():
    api = resources("PhysicalResourceId")["Api"]
    issuer = Issuer()
    anyone = Client(api)
    user = Client(api, issuer.token("ada", "org-1"))
    neighbour = Client(api, issuer.token("bob", "org-2"))
    expired = Client(api, issuer.token("ada", "org-1", expires_in_s=-3600))

    deployment(api)
    reference(anyone)
    refusals(anyone, user, expired)
    agents(user, neighbour)
    team(user)
    workflows(user, neighbour)
    workbenches(user)
    monitoring()
    if UPDATE:
        topic = alarms.Topic("alarms")
        update(user, neighbour)
        deployed = resources("PhysicalResourceId")
        alarms.start_each(STACK, deployed, check)
        said, wanted = topic.said(), {(deployed[name], state) for name in deployed if name.endswith("Alarm") for state in ("ALARM", "OK")}
        check("the topic gets a message for each start and each end of an alarm", said >= wanted, wanted - said)
        # The messages of queues still reach their workers.
        team(user)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


sys.exit(main())
