"""Validates the requests of the catalogue of services against what the services publish. Usage: python3 -m services FOLDER

The folder has a file for each service, with its recorded requests. `VALIDATORS` names what validates them: the discovery
documents of Google, operations and methods in SDKs for Python (`google.py`, `github.py`, `slack.py`, `notion.py`), SDKs that are
called with the same values (`python_sdks.py`, `typescript_sdks.py`), and the types of SDKs (`typescript_sdks.py`).

Names that users choose have no published types: properties of HubSpot and Notion, fields of Jira and Salesforce, columns of
Supabase.
"""

import sys
from pathlib import Path

from .github import GitHub
from .google import Google
from .notion import Notion
from .python_sdks import PYTHON_SDKS
from .records import read_records
from .slack import Slack
from .typescript import validate
from .typescript_sdks import TYPESCRIPT_SDKS

GOOGLE = {
    "gmail": "gmail.v1",
    "google-calendar": "calendar.v3",
    "google-docs": "docs.v1",
    "google-drive": "drive.v3",
    "google-sheets": "sheets.v4",
    "google-tasks": "tasks.v1",
    "youtube": "youtube.v3",
}
VALIDATORS = {service: Google(document) for service, document in GOOGLE.items()} | PYTHON_SDKS
VALIDATORS |= {"github": GitHub(), "notion": Notion(), "slack": Slack()}
# Operations that no package describes. Only the snapshots of `tests/providers` have their requests.
UNPUBLISHED = {
    "hacker-news": {"search", "list-new", "get-item"},
    "hubspot": {"create-engagement"},
    "outlook": {"reply-to-message"},
    "sendgrid": {"save-contacts", "search-contacts"},
}


def refusals_of(validator, requests):
    for index, request in enumerate(requests):
        if validator.knows(request):
            try:
                validator.validate(request)
            except (AssertionError, AttributeError, KeyError, TypeError, ValueError) as error:
                yield index, error


def main(folder):
    records, unpublished = {}, {}
    for file in sorted(folder.glob("*.json")):
        requests, names = read_records(file), UNPUBLISHED.get(file.stem, ())
        records[file.stem] = [it for it in requests if it.operation not in names]
        unpublished[file.stem] = len({it.operation for it in requests} & set(names))
    from_types = validate(TYPESCRIPT_SDKS, records)
    failures, count = [], 0
    for service, requests in records.items():
        validators = [it for it in (VALIDATORS.get(service), TYPESCRIPT_SDKS.get(service)) if it]
        refused = dict(refusals_of(VALIDATORS[service], requests)) if service in VALIDATORS else {}
        refused |= from_types.get(service, {})
        refused |= {i: "nothing validates it" for i, it in enumerate(requests) if not any(known.knows(it) for known in validators)}
        failures += [f"{service}/{requests[i].operation}: {error!r}\n  {requests[i]}" for i, error in refused.items()]
        count += len(requests)
        sources = " and ".join(it.source for it in validators) or "nothing is published"
        rest = f"; {unpublished[service]} of its operations have only snapshots" if unpublished[service] else ""
        print(f"{service:16} {len(requests):3} requests: {sources}{rest}")
    print("\n".join(failures))
    print(f"{count} requests of {len(records)} services, {len(failures)} refused")
    return 1 if failures or count < 600 else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
