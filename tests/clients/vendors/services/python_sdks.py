"""The SDKs for Python, and their call for each operation of the catalogue."""

import re
from datetime import datetime
from io import BytesIO
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import asana
import clickup_python_sdk.clickupobjects.folder as clickup_folder
import clickup_python_sdk.clickupobjects.space as clickup_space
import O365
import praw
import pyairtable
from clickup_python_sdk.api import ClickupClient
from clickup_python_sdk.clickupobjects.list import List
from clickup_python_sdk.clickupobjects.task import Task
from O365.calendar import Calendar, Event
from O365.drive import Drive, File, Folder
from O365.mailbox import MailBox
from O365.message import Message
from O365.teams import Channel, Chat, Team, Teams

from .python import Python, Sent, call_typed, documented
from .records import Request
from .typescript import nested


def table(api, request):
    values = request.path_values
    return api.table(values["baseId"], values["table"])


def list_records(api, request):
    names = {"filterByFormula": "formula", "pageSize": "page_size", "maxRecords": "max_records"}
    fields = nested(dict(request.query))
    sort = [f"-{it['field']}" if it.get("direction") == "desc" else it["field"] for it in fields.pop("sort", [])]
    options = {names.get(name, name): value for name, value in fields.items()} | ({"sort": sort} if sort else {})
    return table(api, request).all(**options)


def create_records(api, request):
    records = [record["fields"] for record in request.body["records"]]
    return call_typed(table(api, request).batch_create, records=records, typecast=request.body.get("typecast", False))


def upsert_records(api, request):
    fields = request.body | {"key_fields": request.body["performUpsert"]["fieldsToMergeOn"]}
    fields.pop("performUpsert")
    return call_typed(table(api, request).batch_upsert, **fields)


AIRTABLE = Python(
    "pyairtable",
    lambda: pyairtable.Api("key"),
    {
        "list-records": list_records,
        "get-record": lambda api, it: table(api, it).get(it.path_values["recordId"]),
        "create-record": lambda api, it: call_typed(table(api, it).create, **it.body),
        "create-records": create_records,
        "update-record": lambda api, it: call_typed(table(api, it).update, record_id=it.path_values["recordId"], **it.body),
        "upsert-records": upsert_records,
        "delete-record": lambda api, it: table(api, it).delete(it.path_values["recordId"]),
        "get-schema": lambda api, it: api.base(it.path_values["baseId"]).schema(),
        "list-bases": lambda api, it: next(api.iterate_requests("GET", api.urls.bases, options=dict(it.query))),
    },
    defaults=("typecast", "returnFieldsByFieldId", "include"),
)


def asana_client():
    configuration = asana.Configuration()
    configuration.access_token = "token"
    return asana.ApiClient(configuration)


def read_page(method, request):
    fields = documented(method, dict(request.query))
    return list(method({name: int(text) if name == "limit" else text for name, text in fields.items()}))


ASANA = Python(
    "asana",
    asana_client,
    {
        "create-task": lambda client, it: asana.TasksApi(client).create_task(it.body, {}),
        "get-task": lambda client, it: asana.TasksApi(client).get_task(it.path_values["taskId"], {}),
        "update-task": lambda client, it: asana.TasksApi(client).update_task(it.body, it.path_values["taskId"], {}),
        "delete-task": lambda client, it: asana.TasksApi(client).delete_task(it.path_values["taskId"]),
        "comment-on-task": lambda client, it: asana.StoriesApi(client).create_story_for_task(it.body, it.path_values["taskId"], {}),
        "list-tasks": lambda client, it: read_page(asana.TasksApi(client).get_tasks, it),
        "list-projects": lambda client, it: read_page(asana.ProjectsApi(client).get_projects, it),
    },
)


def clickup_client():
    ClickupClient._set_default_headers("token")
    ClickupClient._set_default_api(ClickupClient())


def list_clickup_tasks(_, request):
    method = List(request.path_values["listId"]).get_tasks
    fields = documented(method, nested(dict(request.query)))
    # The SDK reads all pages.
    return method({name: text for name, text in request.query if name in fields.keys() - {"page"}})


def folder(request):
    return clickup_folder.Folder(request.path_values["folderId"])


def space(request):
    return clickup_space.Space(request.path_values["spaceId"])


def set_clickup_field(_, request):
    task, field = request.path_values["taskId"], request.path_values["fieldId"]
    return Task(task).update_custom_field(field, **request.body)


CLICKUP = Python(
    "clickup-python-sdk",
    clickup_client,
    {
        "create-task": lambda _, it: List(it.path_values["listId"]).create_task(**documented(List.create_task, it.body)),
        "get-task": lambda _, it: Task(it.path_values["taskId"]).get(),
        "update-task": lambda _, it: Task(it.path_values["taskId"]).update(**documented(Task.update, it.body)),
        "delete-task": lambda _, it: Task(it.path_values["taskId"]).delete(),
        "list-tasks": list_clickup_tasks,
        "comment-on-task": lambda _, it: Task(it.path_values["taskId"]).create_comment(**documented(Task.create_comment, it.body)),
        "list-lists": lambda _, it: folder(it).get_lists(),
        "create-list": lambda _, it: folder(it).create_list(**documented(clickup_folder.Folder.create_list, it.body)),
        "create-space-list": lambda _, it: space(it).create_list(**documented(clickup_space.Space.create_list, it.body)),
        "delete-list": lambda _, it: List(it.path_values["listId"]).delete(),
        "create-folder": lambda _, it: space(it).create_folder(**documented(clickup_space.Space.create_folder, it.body)),
        "delete-folder": lambda _, it: folder(it).delete(),
        "set-field": set_clickup_field,
    },
    defaults=("page",),
    unknown=("page",),
    adapt=lambda sent: sent.changed(url=sent.url.rstrip("/").replace("/?", "?").replace("?&", "?")),
)


def reddit_client():
    reddit = praw.Reddit(client_id="id", client_secret=None, user_agent="validation of requests", check_for_updates=False)
    reddit.auth.implicit(access_token="token", expires_in=3600, scope="*")
    return reddit


def after(query):
    return {"after": query["after"]} if "after" in query else {}


def list_posts(reddit, request):
    query = dict(request.query)
    listing = getattr(reddit.subreddit(request.path_values["subreddit"]), request.path_values["sort"])
    return next(listing(limit=int(query.get("limit", 100)), params=after(query)))


def search_posts(reddit, request):
    query = dict(request.query)
    search = reddit.subreddit(request.path_values["subreddit"]).search
    return next(search(query["q"], sort=query.get("sort", "relevance"), limit=int(query.get("limit", 100)), params=after(query)))


def renamed(call, *names):
    """Calls the SDK, whose request has other names in its URL that mean the same as ours."""
    try:
        call()
    except Sent as sent:
        url = sent.request.url
        for theirs, ours in names:
            url = url.replace(theirs, ours)
        raise Sent(sent.request.changed(url=url)) from None


def search_everywhere(reddit, request):
    query = dict(request.query)
    options = {"sort": query.get("sort", "relevance"), "limit": int(query.get("limit", 100)), "params": after(query)}
    search = reddit.subreddit("all").search
    # For the SDK, all communities are one with the name `all`.
    renamed(lambda: next(search(query["q"], **options)), ("/r/all/search", "/search"), ("restrict_sr=False", ""))


def get_post(reddit, request):
    values, query = request.path_values, dict(request.query)
    post = reddit.submission(values["postId"])
    post.comment_limit = int(query.get("limit", post.comment_limit))
    # The SDK does not need the community of a post.
    renamed(lambda: post.title, ("/comments/", f"/r/{values['subreddit']}/comments/"))


def submit(reddit, request):
    body = request.body
    content = {"selftext": body.get("text", "")} if body["kind"] == "self" else {"url": body["url"]}
    return reddit.subreddit(body["sr"]).submit(body["title"], **content)


def list_rules(reddit, request):
    return list(reddit.subreddit(request.path_values["subreddit"]).rules)


REDDIT = Python(
    "praw",
    reddit_client,
    {
        "list-posts": list_posts,
        "search-posts": search_posts,
        "search-everywhere": search_everywhere,
        "get-post": get_post,
        "get-community": lambda reddit, it: reddit.subreddit(it.path_values["subreddit"]).title,
        "list-rules": list_rules,
        "create-text-post": submit,
        "create-link-post": submit,
        "comment": lambda reddit, it: reddit.submission(it.body["thing_id"].removeprefix("t3_")).reply(it.body["text"]),
    },
    defaults=(
        *("raw_json", "syntax", "t", "limit", "sort", "resubmit", "sendreplies", "nsfw", "spoiler", "validate_on_submit", "text"),
    ),
    adapt=lambda sent: sent.changed(
        url=sent.url.replace("/?", "?").rstrip("/").replace("=True", "=true"),
        text=sent.text.replace("=True", "=true"),
    ),
)


class GraphConnection:
    """The connection of O365's objects. It records the first request."""

    def __getattr__(self, method):
        def send(url, params=None, **_):
            raise Sent(Request(method.upper(), f"{url}?{urlencode(params or {})}", {}, ""))

        return send


GRAPH = {"con": GraphConnection(), "protocol": O365.MSGraphProtocol()}
ME = GRAPH | {"main_resource": "me"}


def cloud(id, **fields):
    """Keywords for an object of the server."""
    return {"__cloud_data__": {"id": id, **fields}}


def message(request):
    return Message(**ME, **cloud(request.path_values.get("messageId"), isDraft="messageId" not in request.path_values))


def send_mail(_, request):
    mail = message(request)
    mail.to.add("ada@example.com")
    return mail.send()


def create_event(_, request):
    event = Event(**ME)
    event.subject, event.start = "Planning", datetime(2026, 3, 2, tzinfo=ZoneInfo("UTC"))
    return event.save()


def get_message(_, request):
    mailbox = MailBox(**ME)
    fields = dict(request.query).get("$select")
    return mailbox.get_message(request.path_values["messageId"], query=mailbox.q().select(*fields.split(",")) if fields else None)


def list_messages(_, request):
    mailbox = MailBox(**ME)
    query = mailbox.q().equals("isRead", False) & mailbox.q().select("subject")
    return mailbox.get_messages(limit=50, query=query, order_by="receivedDateTime desc")


def list_events(_, request):
    times = [datetime(2026, month, 1, tzinfo=ZoneInfo("UTC")) for month in (3, 4)]
    return Calendar(**ME).get_events(include_recurring=True, start_recurring=times[0], end_recurring=times[1])


OUTLOOK = Python(
    "O365",
    lambda: None,
    {
        "send-message": send_mail,
        "send-message-resource": send_mail,
        "create-draft": lambda _, it: message(it).save_draft(),
        "create-draft-resource": lambda _, it: message(it).save_draft(),
        "list-messages": list_messages,
        "get-message": get_message,
        "mark-message": lambda _, it: message(it).mark_as_read(),
        "update-message": lambda _, it: message(it).mark_as_read(),
        "move-message": lambda _, it: message(it).move("archive"),
        "delete-message": lambda _, it: message(it).delete(),
        "create-event": create_event,
        "list-events": list_events,
    },
    is_whole=False,
    # Without a name, the default calendar and the folder of drafts are meant.
    adapt=lambda sent: sent.changed(url=sent.url.replace("/me/calendar/", "/me/").replace("/mailFolders/Drafts/", "/")),
)


def drive_item(kind, request):
    return kind(parent=Drive(**ME, **cloud("root")), **cloud(request.path_values.get("itemId", "root")))


def upload(_, request):
    text = request.text.encode()
    target = drive_item(Folder, request)
    return target.upload_file(None, item_name=request.path_values["path"], stream=BytesIO(text), stream_size=len(text))


ONEDRIVE = Python(
    "O365",
    lambda: None,
    {
        "list-folder": lambda _, it: drive_item(Folder, it).get_items(limit=200),
        "get-item": lambda _, it: Drive(**ME).get_item(it.path_values["itemId"]),
        "download-file": lambda _, it: drive_item(File, it).download(output=BytesIO()),
        "upload-text-file": upload,
        "create-folder": lambda _, it: drive_item(Folder, it).create_child_folder("Reports"),
        "delete-item": lambda _, it: drive_item(Folder, it).delete(),
    },
    is_whole=False,
    # The root is an item with two names.
    adapt=lambda sent: sent.changed(url=sent.url.replace("/items/root:", "/root:")),
)


def team(request):
    return Team(**GRAPH, main_resource="/", **cloud(request.path_values["teamId"]))


def chat(request):
    return Chat(**GRAPH, main_resource="/", **cloud(request.path_values["chatId"]))


def channel(request):
    return Channel(**GRAPH, main_resource=f"/teams/{request.path_values['teamId']}", **cloud(request.path_values["channelId"]))


MICROSOFT_TEAMS = Python(
    "O365",
    lambda: None,
    {
        "send-channel-message": lambda _, it: channel(it).send_message("Hello"),
        "send-chat-message": lambda _, it: chat(it).send_message("Hello"),
        "list-teams": lambda _, it: Teams(**GRAPH).get_my_teams(),
        "list-channels": lambda _, it: team(it).get_channels(),
    },
    is_whole=False,
    adapt=lambda sent: sent.changed(url=re.sub("v1.0/+", "v1.0/", sent.url)),
)

PYTHON_SDKS = {
    "airtable": AIRTABLE,
    "asana": ASANA,
    "clickup": CLICKUP,
    "microsoft-teams": MICROSOFT_TEAMS,
    "onedrive": ONEDRIVE,
    "outlook": OUTLOOK,
    "reddit": REDDIT,
}
