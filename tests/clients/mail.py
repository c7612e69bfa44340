"""Sends emails from workflows of `local` to an SMTP server. Usage: mail.py <binary of `local`>."""

import contextlib
import email
import email.policy
import os
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from rest import Rest, wait_for

LOCAL = sys.argv[1]
LOGIN = {"username": "ada", "password": "s3cret-of-ada"}


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"mail: {what}: {found!r} instead of {wanted!r}")
    print(f"mail: {what}")


def certificate(folder, name, signer=None):
    """A certificate and its key, of an authority if no other signs it. Returns the pair, and the path of its file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer, issuer_key = (signer[0].subject, signer[1]) if signer else (subject, key)
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=signer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    )  # fmt: skip
    made = builder.sign(issuer_key, hashes.SHA256())
    path = Path(folder) / f"{name}.pem"
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + (private if signer else b""))
    return (made, key), path


class Inbox:
    """Takes every message, except for one recipient."""

    def __init__(self):
        self.messages = []

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("nobody@"):
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        content = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.messages.append((envelope.mail_from, envelope.rcpt_tos, content, server.transport.get_extra_info("ssl_object") is not None))
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    given = (data.login.decode(), data.password.decode())
    return AuthResult(success=given == (LOGIN["username"], LOGIN["password"]), handled=False)


@contextlib.contextmanager
def mail_server(inbox, certificate, security):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    options = {"authenticator": authenticate, "auth_required": True}
    if security == "tls":
        # The library asks for STARTTLS before a login, although the connection is encrypted already.
        options |= {"ssl_context": context, "auth_require_tls": False}
    else:
        options |= {"tls_context": context, "require_starttls": True}
    controller = Controller(inbox, hostname="127.0.0.1", port=free_port(), **options)
    controller.start()
    try:
        yield controller.port
    finally:
        controller.stop()


@contextlib.contextmanager
def platform(folder, authority):
    port = free_port()
    with open(Path(folder) / "log.txt", "w") as log:
        environment = {**os.environ, "SSL_CERT_FILE": str(authority)}
        command = [LOCAL, "--data-dir", f"{folder}/platform", "--port", str(port)]
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    base_url = f"http://127.0.0.1:{port}"

    def answers():
        with contextlib.suppress(OSError):
            return Rest(base_url).send("GET", "/health").status == 200

    try:
        wait_for(answers, "the platform")
        token = [LOCAL, "token", "--data-dir", f"{folder}/platform", "--user", "ada", "--org", "acme"]
        yield Rest(base_url, subprocess.run(token, check=True, capture_output=True, text=True).stdout.strip())
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)


class Flow:
    """A workflow that sends an email."""

    def __init__(self, ada):
        self.ada = ada
        self.path = f"/builder/v1/workflows/{ada.post('/builder/v1/workflows', {'name': 'Mail'})['data']['id']}"

    def credential(self, **changes):
        body = {"name": "Mail", "type": "basic", **LOGIN, **changes}
        return self.ada.post(f"{self.path}/webhook-credentials/outbound", body)["data"]["id"]

    def send(self, input=None, **config):
        """Runs the draft, and returns the step that sends."""
        config = {
            "host": "localhost", "from": "Pedidos de Ñandú <orders@example.com>", "to": "{{ input.to }}", "subject": "Pedido nº {{ input.order }}",
            "text": "Está en camino.\n.\nFin.", "retry": {"maxAttempts": 1}, **config,
        }  # fmt: skip
        nodes = [{"id": "start", "type": "input", "config": {}}, {"id": "mail", "type": "email", "config": config},
                 {"id": "end", "type": "send_result", "config": {}}]  # fmt: skip
        graph = {"nodes": nodes, "connections": [{"from": "start", "to": "mail"}, {"from": "mail", "to": "end"}]}
        self.ada.patch(self.path, {"graph": graph})
        tried = self.ada.post(f"{self.path}/preview", {"input": input or {"to": "ada@example.org", "order": 7}})["data"]
        return next(node for node in tried["nodes"] if node["nodeId"] == "mail")


def check(flow, inbox, servers):
    login = flow.credential()
    files = "[{'name': 'año.csv', 'contentType': 'text/csv', 'text': 'a,ñ'}, {'name': 'b.bin', 'base64': 'AAECAw=='}]"
    for security, port in servers.items():
        config = {"port": port, "security": security, "credentialId": login, "html": "<p>Está <b>en camino</b></p>", "attachments": files}
        sent = flow.send({"to": "Ada <ada@example.org>, nobody@example.org", "order": 7}, **config)
        expect(f"a message is sent with {security}", sent["state"], "completed")
        expect("one recipient takes it", sent["output"]["accepted"], ["ada@example.org"])
        expect("another is refused", sent["output"]["rejected"], [{"address": "nobody@example.org", "message": "550: no such user"}])
        sender, recipients, message, is_encrypted = inbox.messages.pop()
        expect("the envelope is right", (sender, recipients, is_encrypted), ("orders@example.com", ["ada@example.org"], True))
        expect("the subject is read", message["subject"], "Pedido nº 7")
        expect("the sender is read", str(message["from"]), "Pedidos de Ñandú <orders@example.com>")
        expect("the id is that of the value", message["message-id"], sent["output"]["messageId"])
        text, html = (message.get_body((kind,)).get_content().replace("\r\n", "\n").strip() for kind in ("plain", "html"))
        expect("the text is read", text, "Está en camino.\n.\nFin.")
        expect("the HTML is read", html, "<p>Está <b>en camino</b></p>")
        attached = [(part.get_filename(), part.get_content()) for part in message.iter_attachments()]
        expect("the files are read", attached, [("año.csv", "a,ñ"), ("b.bin", b"\0\1\2\3")])

    starttls, tls = servers["starttls"], servers["tls"]
    wrong = flow.credential(password="wrong")
    for what, code, config in [
        ("a wrong password", "email_login_refused", {"port": starttls, "credentialId": wrong}),
        ("no password", "email_refused", {"port": starttls}),
        ("a certificate of another name", "email_not_encrypted", {"port": starttls, "host": "127.0.0.1"}),
        ("STARTTLS at a server that wants TLS", "email_timeout", {"port": tls, "timeoutMs": 2000}),
        ("TLS at a server that wants STARTTLS", "email_not_encrypted", {"port": starttls, "security": "tls"}),
        ("no encryption at a server that wants it", "email_refused", {"port": starttls, "security": "none"}),
        ("a port at which nobody listens", "destination_unreachable", {"port": free_port()}),
    ]:
        step = flow.send(**config)
        expect(f"{what} is an error", (step["error"] or {}).get("code"), code)
        if "s3cret" in str(step) or "wrong" in str(step):
            sys.exit(f"mail: a password is shown: {step}")
    expect("nothing else was sent", inbox.messages, [])


def main():
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        authority, authority_path = certificate(folder, "authority")
        _, path = certificate(folder, "localhost", authority)
        inbox = Inbox()
        servers = {security: stack.enter_context(mail_server(inbox, path, security)) for security in ("starttls", "tls")}
        ada = stack.enter_context(platform(folder, authority_path))
        check(Flow(ada), inbox, servers)


if __name__ == "__main__":
    main()
