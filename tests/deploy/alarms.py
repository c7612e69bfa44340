"""Starts each alarm of the deployed stack: its metric gets the values of an incident, and then ordinary ones again."""

import json
import time
from collections import namedtuple

import boto3

# Each minute of `ordinary` and of `incident` has a value, or values with how often they occur; the minutes repeat. `None` is a
# minute without values.
Incident = namedtuple("Incident", "alarm metric dimensions ordinary incident")

# Every phase takes as many minutes as the slowest alarm needs.
MINUTES = 15
TICKER = "TickerFunction"


def incidents(stack, names):
    """An incident for each alarm. `names` has the name of each resource in AWS."""
    api = {"ApiName": stack}
    lists = api | {"Stage": "v1", "Resource": "/builder/v1/agents", "Method": "GET"}
    ages = {"Attention": 300, "Runs": 2_700, "Guard": 1_800, "Batches": 3_600, "Images": 900, "Workbenches": 900}
    operations = {"Entities": "GetItem", "Counters": "UpdateItem", "Journal": "PutItem"}
    for queue, limit_s in ages.items():
        dead, alive = ({"QueueName": names[f"{queue}{kind}"]} for kind in ("DeadLetters", "Queue"))
        # A message fails for the last time.
        yield Incident(f"{queue}DeadLettersAlarm", "AWS/SQS ApproximateNumberOfMessagesVisible", dead, [0], [1])
        # A message waits longer and longer.
        yield Incident(f"{queue}AgeAlarm", "AWS/SQS ApproximateAgeOfOldestMessage", alive, [limit_s - 60], [limit_s + 60])
    # One request in 200 fails, and then one in 50.
    yield Incident("ServerErrorsAlarm", "AWS/ApiGateway 5XXError", api, [{0: 199, 1: 1}], [{0: 49, 1: 1}])
    # Of 100 lists a minute, 4 take three seconds, and then 10.
    yield Incident("LatencyAlarm", "AWS/ApiGateway Latency", lists, [{90: 96, 3_000: 4}], [{90: 90, 3_000: 10}])
    # Functions crash every second minute, and then every minute.
    yield Incident("FunctionErrorsAlarm", "AWS/Lambda Errors", {}, [1, 0, 1, 0, 0], [1])
    # Invocations are refused in five minutes, and then in ten.
    yield Incident("FunctionThrottlesAlarm", "AWS/Lambda Throttles", {}, [*[0] * 5, *[9] * 5, *[0] * 5], [9])
    yield Incident("ConcurrencyAlarm", "AWS/Lambda ClaimedAccountConcurrency", {}, [700], [900])
    yield Incident("TickerStoppedAlarm", "AWS/Lambda Invocations", {"FunctionName": names[TICKER]}, [1], [None])
    for table, operation in operations.items():
        of_table = {"TableName": names[f"{table}Table"]}
        # In two of five minutes, and then in three.
        for name, metric, dimensions in [
            ("ReadThrottles", "ReadThrottleEvents", of_table),
            ("WriteThrottles", "WriteThrottleEvents", of_table),
            ("SystemErrors", "SystemErrors", of_table | {"Operation": operation}),
        ]:
            alarm, metric = f"{table}{name}Alarm", f"AWS/DynamoDB {metric}"
            yield Incident(alarm, metric, dimensions, [7, 7, 0, 0, 0], [7, 7, 7, 0, 0])


class Metrics:
    """The metrics of AWS, from tomorrow on: the emulator has some of its own for today."""

    def __init__(self, ticker):
        self.cloudwatch = boto3.client("cloudwatch")
        self.ticker = ticker
        self.time = (time.time() // 900 + 96) * 900

    def pass_minutes(self, incident=None, minutes=()):
        """Lets time pass, in which the metric of the incident has these values. The ticker runs each minute."""
        usual = ("AWS/Lambda Invocations", self.ticker)
        data = {}
        for minute in range(MINUTES):
            values = {usual: 1}
            if incident:
                values[incident.metric, json.dumps(incident.dimensions)] = minutes[minute % len(minutes)]
            for (metric, dimensions), value in values.items():
                namespace, name = metric.split()
                counts = value if isinstance(value, dict) else {} if value is None else {value: 1}
                dimensions = [{"Name": key, "Value": at} for key, at in json.loads(dimensions).items()]
                datum = {"MetricName": name, "Dimensions": dimensions, "Timestamp": self.time + 60 * minute}
                datum |= {"Values": list(counts), "Counts": list(counts.values())}
                data.setdefault(namespace, []).extend([datum] if counts else [])
        self.time += 60 * MINUTES
        # Time passes also where the metric has no values.
        data.setdefault("Test", []).append({"MetricName": "Time", "Value": 1, "Timestamp": self.time - 1})
        for namespace, metrics in data.items():
            if metrics:
                self.cloudwatch.put_metric_data(Namespace=namespace, MetricData=metrics)

    def alarms(self):
        return {alarm["AlarmName"] for alarm in self.cloudwatch.describe_alarms(StateValue="ALARM")["MetricAlarms"]}


def start_each(stack, deployed, check):
    """`deployed` has the physical id of each resource of the stack."""
    names = {name: identifier.rsplit("/", 1)[-1] for name, identifier in deployed.items()}
    metrics = Metrics(json.dumps({"FunctionName": names[TICKER]}))
    metrics.pass_minutes()
    check("no alarm is on while all is well", not metrics.alarms(), metrics.alarms())
    seen = set()
    for incident in incidents(stack, names):
        states = []
        for minutes in (incident.ordinary, incident.incident, None):
            metrics.pass_minutes(incident if minutes else None, minutes)
            states.append(metrics.alarms())
        check(f"{incident.alarm} starts, alone, and ends", states == [set(), {deployed[incident.alarm]}, set()], states)
        seen.add(incident.alarm)
    alarms = {name for name in deployed if name.endswith("Alarm")}
    check(f"all {len(alarms)} alarms have an incident", seen == alarms, seen ^ alarms)


class Topic:
    """The topic of the alarms, with a queue that receives its messages."""

    def __init__(self, name):
        sns, self.sqs = boto3.client("sns"), boto3.client("sqs")
        self.queue = self.sqs.create_queue(QueueName=f"{name}-received")["QueueUrl"]
        arn = self.sqs.get_queue_attributes(QueueUrl=self.queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        topic = sns.create_topic(Name=name)["TopicArn"]
        sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)

    def said(self):
        """The names of alarms and their states, of all messages so far."""
        said = set()
        while messages := self.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                notice = json.loads(json.loads(message["Body"])["Message"])
                said.add((notice["AlarmName"], notice["NewStateValue"]))
                self.sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])
        return said
