"""Starts ministack like its own command, with fixes for two defects, and two resources that it lacks."""

import http.server
import json
import operator

from ministack.app import main
from ministack.services import cloudwatch, dynamodb, waf
from ministack.services.cloudformation import provisioners

# ministack sends a function its event again each time it polls for the next one, until it is stopped. On a busy machine
# a request then runs twice, and the caller gets the second answer (a 412 for a PATCH with If-Match). Each server of the
# runtime API, which ministack creates for one request, therefore answers only the first poll.
Handler = http.server.BaseHTTPRequestHandler
parse_request = Handler.parse_request


def parse_once(self):
    if not parse_request(self):
        return False
    if not self.path.endswith("/runtime/invocation/next"):
        return True
    is_first = not getattr(self.server, "has_served", False)
    self.server.has_served = True
    return is_first


Handler.parse_request = parse_once

COMPARISONS = {"GreaterThanThreshold": operator.gt, "LessThanThreshold": operator.lt}


# ministack compares all values with a metric's name, whatever their dimensions, with the threshold. CloudWatch judges the last
# periods of one metric, each alone. The time here is that of the newest value, so that a test does not wait for minutes.
def evaluate_alarm(alarm):
    newest = max((point["Timestamp"] for points in cloudwatch._metrics.values() for point in points), default=0)
    period, dimensions = alarm["Period"], cloudwatch._dims_from_list(alarm["Dimensions"])
    metric = (alarm["Namespace"], alarm["MetricName"], cloudwatch._dims_key(dimensions))
    of_periods = {}
    for point in cloudwatch._metrics.get(metric) or []:
        of_periods.setdefault(point["Timestamp"] // period, []).append(point["Value"])
    breaching = 0
    for number in range(alarm["EvaluationPeriods"]):
        if values := of_periods.get(newest // period - number):
            statistic = cloudwatch._stat_value(
                cloudwatch._calc_stats(values), alarm["ExtendedStatistic"] or alarm["Statistic"], values
            )
            breaching += COMPARISONS[alarm["ComparisonOperator"]](statistic, alarm["Threshold"])
        else:
            breaching += alarm["TreatMissingData"] == "breaching"
    old, new = alarm["StateValue"], "ALARM" if breaching >= alarm["DatapointsToAlarm"] else "OK"
    if new != old:
        alarm["StateValue"] = new
        cloudwatch._dispatch_alarm_actions(alarm, old, new, f"{breaching} periods")


cloudwatch._evaluate_alarm = evaluate_alarm

# Without this, a change of a table's protection would create the table again, without its items. All other properties of
# tables that the template sets by a parameter would do so too, and then the test fails.
def update_table(name, old, new, stack):
    changed = {key for key in old | new if old.get(key) != new.get(key)}
    if changed != {"DeletionProtectionEnabled"}:
        raise ValueError(f"the test does not know how DynamoDB changes {sorted(changed)} of a table")
    dynamodb._tables[name]["DeletionProtectionEnabled"] = is_true(new["DeletionProtectionEnabled"])
    return name, {"Arn": dynamodb._tables[name]["TableArn"]}


def is_true(value):
    return str(value).lower() == "true"


def associate_firewall(logical_id, properties, stack):
    status, _, body = waf._associate_web_acl(properties)
    if status != 200:
        raise ValueError(json.loads(body))
    return f"{properties['WebACLArn']}|{properties['ResourceArn']}", {}


def dissociate_firewall(physical_id, properties):
    waf._disassociate_web_acl(properties)


provisioners._RESOURCE_HANDLERS["AWS::DynamoDB::Table"]["update"] = update_table
provisioners._RESOURCE_HANDLERS["AWS::WAFv2::WebACLAssociation"] = {
    "create": associate_firewall,
    "delete": dissociate_firewall,
}

if __name__ == "__main__":
    main()
