"""Checks of infra/template.yaml without a deployment: what it must have for its operators, and that alarms, the dashboard and
policies name resources that exist. Prints the problems.

    tests/deploy/template_test.py [template]

Needs Python with: pip install aws-sam-cli cfn-lint
"""

import json
import re
import sys
from pathlib import Path

from cfnlint.schema import PROVIDER_SCHEMA_MANAGER
from samcli.yamlhelper import yaml_parse

ROOT = Path(__file__).resolve().parents[2]
RUNBOOK = ROOT / "infra/README.md"
DEFINITIONS = ROOT / "shared/platform/src/telemetry/metrics/definitions.rs"

# The metrics that AWS documents, with the dimensions that they always have together.
AWS_METRICS = {
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"): [{"QueueName"}],
    ("AWS/SQS", "ApproximateAgeOfOldestMessage"): [{"QueueName"}],
    **{
        ("AWS/ApiGateway", name): [{"ApiName"}, {"ApiName", "Stage"}, {"ApiName", "Stage", "Resource", "Method"}]
        for name in ("Count", "4XXError", "5XXError", "Latency", "IntegrationLatency")
    },
    **{
        ("AWS/Lambda", name): [set(), {"FunctionName"}]
        for name in ("Invocations", "Errors", "Throttles", "Duration", "ConcurrentExecutions")
    },
    ("AWS/Lambda", "ClaimedAccountConcurrency"): [set()],
    **{
        ("AWS/DynamoDB", name): [{"TableName"}, {"TableName", "GlobalSecondaryIndexName"}]
        for name in (
            "ConsumedReadCapacityUnits",
            "ConsumedWriteCapacityUnits",
            "ReadThrottleEvents",
            "WriteThrottleEvents",
        )
    },
    ("AWS/DynamoDB", "SystemErrors"): [{"TableName", "Operation"}],
}
# What the value of a dimension names.
DIMENSIONS = {
    "QueueName": "AWS::SQS::Queue",
    "TableName": "AWS::DynamoDB::Table",
    "FunctionName": "AWS::Serverless::Function",
}
OPERATIONS = {"GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "TransactWriteItems"}
# A replacement of one of these loses data, or the messages and secrets that need it.
DATA = ("AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::KMS::Key", "AWS::SQS::Queue")
# The service that a setting of a function needs, by the prefix of its name.
SERVICES = {"TABLE_": "dynamodb", "QUEUE_": "sqs", "BUCKET_": "s3", "KMS_": "kms"}

# Settings that the start of a function reads, although none of its routes or messages needs them.
UNUSED_SETTINGS = {
    "TeamFunction": ["FilesBucket"],
    "ServiceTokensFunction": ["CountersTable"],
    "RunEventsFunction": ["RunsQueue"],
    "ConversationsFunction": ["CountersTable"],
    "InvocationsFunction": ["ImagesQueue"],
    "McpToolsFunction": ["ImagesQueue"],
    "McpStudioFunction": ["AttentionQueue"],
    "GuardWorkerFunction": ["ImagesQueue"],
    "BatchWorkerFunction": ["ImagesQueue"],
    "ImageWorkerFunction": ["GuardQueue", "ImagesQueue"],
}


class Template:
    def __init__(self, path):
        self.text = Path(path).read_text()
        self.parsed = yaml_parse(self.text)
        self.resources = self.parsed["Resources"]
        self.problems = []

    def of_type(self, kind):
        return {name: it.get("Properties", {}) for name, it in self.resources.items() if it["Type"] == kind}

    def expect(self, condition, problem):
        if not condition:
            self.problems.append(problem)

    def functions(self):
        return self.of_type("AWS::Serverless::Function")

    def alarms(self):
        return self.of_type("AWS::CloudWatch::Alarm")

    def routes(self):
        return self.resources["Api"]["Properties"]["DefinitionBody"]["paths"]


def target(value):
    """The logical id that a `Ref`, a `GetAtt` or a `Sub` of one resource names."""
    if not isinstance(value, dict):
        return None
    if "Ref" in value:
        return value["Ref"]
    if "Fn::GetAtt" in value:
        attribute = value["Fn::GetAtt"]
        return attribute.split(".")[0] if isinstance(attribute, str) else attribute[0]
    found = re.match(r"\$\{(\w+)", value.get("Fn::Sub", "")) if isinstance(value.get("Fn::Sub"), str) else None
    return found and found[1]


def items(value):
    return value if isinstance(value, list) else [value]


def depends_on_parameters(value, parameters):
    if isinstance(value, dict):
        return "Fn::If" in value or value.get("Ref") in parameters or any(
            depends_on_parameters(inner, parameters) for inner in value.values()
        )
    if isinstance(value, list):
        return any(depends_on_parameters(inner, parameters) for inner in value)
    return False


def denies_plain_http(statement, action):
    return (
        statement["Effect"] == "Deny"
        and statement["Principal"] == "*"
        and statement["Action"] == action
        and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    )


# ---------------------------------------------------------------- checks


def functions_have_logs(template):
    groups = template.of_type("AWS::Logs::LogGroup")
    for name, properties in template.functions().items():
        group = groups.get(target(properties.get("LoggingConfig", {}).get("LogGroup")), {})
        template.expect("RetentionInDays" in group, f"{name} has no log group with a retention")


def functions_have_their_zip(template):
    names = {path.parent.name for path in (ROOT / "functions").glob("*/Cargo.toml")}
    zips = {Path(properties["CodeUri"]).parent.name for properties in template.functions().values()}
    template.expect(names == zips, f"functions/ and the CodeUri of the functions differ: {sorted(names ^ zips)}")


def memory_has_a_reason(template):
    lines = template.text.splitlines()
    for number, line in enumerate(lines):
        if re.match(r"^      MemorySize:", line):
            template.expect(lines[number - 1].lstrip().startswith("#"), f"line {number + 1} does not say why: {line.strip()}")


def policies_are_narrow(template):
    for name, properties in template.functions().items():
        for statement in statements(properties):
            if statement["Effect"] != "Allow":
                continue
            for action in items(statement["Action"]):
                template.expect("*" not in action, f"{name} may {action}; name the actions")
                # Models are no resources of the stack: Bedrock has their ARNs, which the catalog chooses.
                free = action.startswith("bedrock:Invoke")
                wide = "*" in [resource for resource in items(statement["Resource"]) if isinstance(resource, str)]
                template.expect(free or not wide, f"{name} may {action} with every resource; name the resources")


def statements(function):
    return [statement for policy in function.get("Policies", []) for statement in items(policy["Statement"])]


def settings_have_permissions(template):
    """A function may use what its settings name, and nothing else of the stack."""
    for name, properties in template.functions().items():
        settings = properties.get("Environment", {}).get("Variables", {})
        wanted = {
            (service, target(value))
            for setting, value in settings.items()
            for prefix, service in SERVICES.items()
            if setting.startswith(prefix)
        }
        granted = {
            (action.split(":")[0], target(resource))
            for statement in statements(properties)
            for action in items(statement["Action"])
            for resource in items(statement["Resource"])
            if target(resource)
        }
        for service, resource in sorted(wanted - granted):
            unused = resource in UNUSED_SETTINGS.get(name, ())
            template.expect(unused, f"{name} has a setting for {resource}, but no statement for {service}")
        for service, resource in sorted(granted - wanted):
            template.expect(False, f"{name} has a statement for {service} of {resource}, but no setting")


def routes_may_invoke(template):
    granted = {
        target(properties["FunctionName"])
        for properties in template.of_type("AWS::Lambda::Permission").values()
        if properties["Principal"] == "apigateway.amazonaws.com" and properties["Action"] == "lambda:InvokeFunction"
    }
    for path, methods in template.routes().items():
        for method, operation in methods.items():
            integration = operation["x-amazon-apigateway-integration"]
            function = re.search(r"functions/\$\{(\w+)\.Arn\}", integration["uri"]["Fn::Sub"])[1]
            where = f"{method.upper()} {path}"
            template.expect(function in template.functions(), f"{where} goes to {function}, which does not exist")
            template.expect(function in granted, f"{where} goes to {function}, which API Gateway may not invoke")
            streams = integration.get("responseTransferMode") == "STREAM"
            invokes_stream = "/response-streaming-invocations" in integration["uri"]["Fn::Sub"]
            template.expect(streams == invokes_stream, f"{where} has the transfer mode of streams or their URI, but not both")


def queues_have_dead_letters(template):
    queues = template.of_type("AWS::SQS::Queue")
    redrives = {
        name: target(properties["RedrivePolicy"]["deadLetterTargetArn"])
        for name, properties in queues.items()
        if "RedrivePolicy" in properties
    }
    watched = {
        (properties["MetricName"], target(dimension["Value"]))
        for properties in template.alarms().values()
        for dimension in properties.get("Dimensions", [])
        if dimension["Name"] == "QueueName"
    }
    for name in queues:
        if name in redrives.values():
            seen = ("ApproximateNumberOfMessagesVisible", name) in watched
            template.expect(seen, f"no alarm counts the messages of {name}")
            continue
        template.expect(redrives.get(name) in queues, f"{name} has no dead-letter queue")
        template.expect(("ApproximateAgeOfOldestMessage", name) in watched, f"no alarm watches the age of {name}")


def queues_outlast_their_worker(template):
    """Lambda refuses a visibility timeout that is shorter than the function's, and recommends six times as much."""
    queues = template.of_type("AWS::SQS::Queue")
    default = template.parsed["Globals"]["Function"]["Timeout"]
    fed = set()
    for name, properties in template.functions().items():
        for event in properties.get("Events", {}).values():
            if event["Type"] != "SQS":
                continue
            queue = target(event["Properties"]["Queue"])
            fed.add(queue)
            timeout = properties.get("Timeout", default)
            template.expect(
                queues[queue]["VisibilityTimeout"] >= 6 * timeout, f"{queue} shows messages again too early for {name}"
            )
            age = [
                properties["Threshold"]
                for properties in template.alarms().values()
                if properties["MetricName"] == "ApproximateAgeOfOldestMessage"
                and target(properties["Dimensions"][0]["Value"]) == queue
            ]
            template.expect(all(limit > timeout for limit in age), f"one message that {name} handles starts the alarm of {queue}")
    dead = {target(properties["RedrivePolicy"]["deadLetterTargetArn"]) for properties in queues.values() if "RedrivePolicy" in properties}
    template.expect(fed == set(queues) - dead, f"queues without a worker: {sorted(set(queues) - dead - fed)}")


def tls_only(template):
    queues = {
        target(queue)
        for properties in template.of_type("AWS::SQS::QueuePolicy").values()
        if any(denies_plain_http(statement, "sqs:*") for statement in properties["PolicyDocument"]["Statement"])
        for queue in properties["Queues"]
    }
    for name in template.of_type("AWS::SQS::Queue"):
        template.expect(name in queues, f"{name} accepts requests without TLS")
    buckets = {
        target(properties["Bucket"])
        for properties in template.of_type("AWS::S3::BucketPolicy").values()
        if any(denies_plain_http(statement, "s3:*") for statement in properties["PolicyDocument"]["Statement"])
    }
    for name in template.of_type("AWS::S3::Bucket"):
        template.expect(name in buckets, f"{name} accepts requests without TLS")


def data_is_safe(template):
    for name, table in template.of_type("AWS::DynamoDB::Table").items():
        recovery = table.get("PointInTimeRecoverySpecification", {}).get("PointInTimeRecoveryEnabled")
        template.expect(recovery is True, f"{name} has no point-in-time recovery")
        template.expect(table.get("SSESpecification", {}).get("SSEEnabled") is True, f"{name} is not encrypted with KMS")
        template.expect("DeletionProtectionEnabled" in table, f"{name} cannot be protected against deletion")
        expires = table.get("TimeToLiveSpecification", {}) == {"AttributeName": "expires_at", "Enabled": True}
        template.expect(expires, f"items of {name} do not expire")
    for name, bucket in template.of_type("AWS::S3::Bucket").items():
        template.expect("BucketEncryption" in bucket, f"{name} is not encrypted with KMS")
        blocked = bucket.get("PublicAccessBlockConfiguration", {})
        template.expect(len(blocked) == 4 and all(blocked.values()), f"{name} may be made public")
        template.expect("LifecycleConfiguration" in bucket, f"objects of {name} do not expire")
    for name, queue in template.of_type("AWS::SQS::Queue").items():
        template.expect(queue.get("SqsManagedSseEnabled") is True, f"{name} is not encrypted")
    for kind in DATA[:3]:
        for name in template.of_type(kind):
            kept = all(template.resources[name].get(key) == "Retain" for key in ("DeletionPolicy", "UpdateReplacePolicy"))
            template.expect(kept, f"{name} is deleted with the stack")


def no_parameter_replaces_data(template):
    """CloudFormation creates a resource again when such a property changes."""
    for kind in DATA:
        schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", kind).schema
        paths = schema.get("createOnlyProperties", []) + schema.get("conditionalCreateOnlyProperties", [])
        fixed = {path.split("/")[2] for path in paths}
        for name, properties in template.of_type(kind).items():
            for key in sorted(fixed & properties.keys()):
                moves = depends_on_parameters(properties[key], template.parsed["Parameters"])
                template.expect(not moves, f"a parameter changes {key} of {name}, which would replace it")


def alarms_watch_what_exists(template):
    for name, alarm in template.alarms().items():
        dimensions = {dimension["Name"]: dimension["Value"] for dimension in alarm.get("Dimensions", [])}
        metric_exists(template, name, alarm["Namespace"], alarm["MetricName"], dimensions, target)
        for key in ("AlarmActions", "OKActions"):
            template.expect(alarm.get(key, {}).get("Fn::If", [""])[0] == "HasAlarmTopic", f"{name} has no {key}")
        template.expect(alarm.get("TreatMissingData") is not None, f"{name} does not say what missing data means")


def metric_exists(template, where, namespace, metric, dimensions, resolve):
    known = AWS_METRICS.get((namespace, metric), [])
    template.expect(set(dimensions) in known, f"{where} reads {namespace} {metric} by {sorted(dimensions)}, which does not exist")
    methods = {path: {method.upper() for method in methods} for path, methods in template.routes().items()}
    for dimension, value in dimensions.items():
        if dimension in DIMENSIONS:
            exists = resolve(value) in template.of_type(DIMENSIONS[dimension])
        elif dimension == "Method":
            exists = value in methods.get(dimensions["Resource"], ())
        else:
            names = {"ApiName": {"AWS::StackName"}, "Stage": {"Api.Stage"}, "Resource": methods, "Operation": OPERATIONS}
            exists = (resolve(value) or value) in names.get(dimension, ())
        template.expect(exists, f"{where} watches {dimension} {value}, which does not exist")


def alarms_are_in_the_runbook(template):
    runbook = RUNBOOK.read_text() if RUNBOOK.exists() else None
    for name, alarm in template.alarms().items():
        description = alarm["AlarmDescription"]
        template.expect(description.endswith(f"See {name} in infra/README.md"), f"{name} does not name its section")
        template.expect(len(description) <= 1024, f"the description of {name} is too long for CloudWatch")
        if runbook is not None:
            heading = re.search(rf"^#+ .*\b{name}\b", runbook, re.M)
            template.expect(heading, f"infra/README.md has no section about {name}")
    for section in re.findall(r"^#+ .*?\b(\w+Alarm)\b", runbook or "", re.M):
        template.expect(section in template.alarms(), f"infra/README.md describes {section}, which does not exist")


def platform_metrics():
    """The metrics of the platform, with their labels and that of the function."""
    text = DEFINITIONS.read_text()
    labels = dict(re.findall(r'const (\w+): &\[&str\] = &\[(.*?)\];', text))
    found = {}
    for name, own in re.findall(r'\(\s*"(atelier_\w+)",.*?(\w+_LABELS|&\[[^\]]*\]),?\s*\)', text, re.S):
        found[name] = {"function", *re.findall(r'"(\w+)"', labels.get(own, own))}
    return found


def dashboard_shows_what_exists(template):
    ours = platform_metrics()
    template.expect(len(ours) == DEFINITIONS.read_text().count('"atelier_'), "the test does not read definitions.rs")
    resolve = lambda value: (re.fullmatch(r"\$\{([\w:]+?)(?:\.QueueName)?\}", str(value)) or ["", None])[1]
    for name, properties in template.of_type("AWS::CloudWatch::Dashboard").items():
        shown = set()
        for widget in json.loads(properties["DashboardBody"]["Fn::Sub"])["widgets"]:
            where = f"{name}, {widget['properties']['title']},"
            if widget["type"] == "log":
                groups = re.findall(r"SOURCE '\$\{(\w+)\}'", widget["properties"]["query"])
                missing = set(template.of_type("AWS::Logs::LogGroup")) ^ set(groups)
                template.expect(not missing, f"{where} has other log groups than the template: {sorted(missing)}")
                template.expect(len(groups) <= 50, f"{where} reads more log groups than CloudWatch can")
                continue
            previous = []
            for metric in widget["properties"]["metrics"]:
                if isinstance(metric[0], dict):
                    expression_reads_what_exists(template, where, metric[0]["expression"], ours)
                    continue
                parts = [part for part in metric if not isinstance(part, dict)]
                if parts[0] == "...":
                    parts = previous[: len(previous) - len(parts) + 1] + parts[1:]
                parts = [previous[at] if part == "." else part for at, part in enumerate(parts)]
                previous = parts
                shown.update(filter(None, map(resolve, parts)))
                metric_exists(template, where, parts[0], parts[1], dict(zip(parts[2::2], parts[3::2])), resolve)
        for kind in DIMENSIONS.values():
            missing = set(template.of_type(kind)) - shown
            template.expect(not missing, f"{name} does not show {sorted(missing)}")
    template.expect(template.of_type("AWS::CloudWatch::Dashboard"), "there is no dashboard")


def expression_reads_what_exists(template, where, expression, ours):
    query = re.fullmatch(r'SELECT SUM\("(\w+)"\) FROM SCHEMA\("Atelier", (.*?)\) GROUP BY (.*?) ORDER BY SUM\(\) DESC LIMIT \d+', expression)
    search = re.search(r"SEARCH\('\{([^,]+),([\w,]+)\} MetricName=\"(\w+)\"(?: (\w+)=\"\$\{([\w:]+)\}\")?', '\w+', \d+\)", expression)
    if query:
        labels = set(re.findall(r'"(\w+)"', query[2]))
        template.expect(ours.get(query[1]) == labels, f"{where} reads {query[1]} by {sorted(labels)}, which does not exist")
        template.expect(set(re.findall(r'"(\w+)"', query[3])) <= labels, f"{where} groups {query[1]} by another label")
    elif search:
        namespace, labels, metric, _, value = search.groups()
        labels = set(labels.split(","))
        known = [ours.get(metric)] if namespace == "Atelier" else AWS_METRICS.get((namespace, metric), [])
        template.expect(labels in known, f"{where} searches {metric} by {sorted(labels)}, which does not exist")
        template.expect(value in (None, "AWS::StackName", *template.resources), f"{where} searches {value}, which does not exist")
    else:
        template.expect(False, f"{where} has an expression that the test does not know: {expression}")


CHECKS = [
    functions_have_logs,
    functions_have_their_zip,
    memory_has_a_reason,
    policies_are_narrow,
    settings_have_permissions,
    routes_may_invoke,
    queues_have_dead_letters,
    queues_outlast_their_worker,
    tls_only,
    data_is_safe,
    no_parameter_replaces_data,
    alarms_watch_what_exists,
    alarms_are_in_the_runbook,
    dashboard_shows_what_exists,
]


def problems(path):
    template = Template(path)
    for check in CHECKS:
        try:
            check(template)
        # What a check reads may be missing; then the template has the problem, not the check.
        except (KeyError, AttributeError, TypeError, IndexError) as error:
            template.problems.append(f"{check.__name__} cannot read the template: {error!r}")
    return template.problems


if __name__ == "__main__":
    found = problems(sys.argv[1] if len(sys.argv) > 1 else ROOT / "infra/template.yaml")
    print("\n".join(found) or f"{len(CHECKS)} checks of the template passed")
    sys.exit(bool(found))
