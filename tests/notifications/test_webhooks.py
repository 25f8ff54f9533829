"""Where webhooks may be sent, and the signatures of their messages."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from threading import Event

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from service.errors import InvalidRequest
from service.notifications.events import Message
from service.notifications.webhooks import OVERLAP_S, EndpointSecrets, check_url, is_public, signed_headers
from service.sources.webhooks import send
from tests.receiver import Receiver, receiving

MESSAGE = Message("msg_1", 1, "lane.trade", "{}")
SECRET = "whsec_c2VjcmV0"
PRIVATE_ADDRESSES = """
0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.127.255.254 127.0.0.1 127.1.2.3 169.254.169.254 172.16.0.1 172.31.255.255
192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1
255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:10.0.0.1 64:ff9b::7f00:1 64:ff9b:1::a00:1
100::1 2001::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1 3fff::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1
ff02::1
""".split()  # noqa: SIM905
PUBLIC_ADDRESSES = ("1.1.1.1", "8.8.8.8", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001:81d::200e")
HOSTILE_URLS = """
http://example.com/ ftp://example.com/ file:///etc/passwd gopher://example.com/ https:// https:///hook
//example.com/hook https://127.0.0.1/ https://127.1/ https://0177.0.0.1/ https://0x7f.0.0.1/ https://0x7f000001/
https://2130706433/ https://017700000001/ https://127.0.0.1./ https://1.2.3.4.5/ https://example.0x7f/ https://[::1]/
https://[::]/ https://[::ffff:169.254.169.254]/ https://[::ffff:7f00:1]/ https://[fe80::1%25eth0]/ https://[fd00::1]/
https://[2002:7f00:1::]/ https://[64:ff9b::7f00:1]/ https://169.254.169.254/latest/meta-data/ https://10.0.0.1:8443/
https://localhost/ https://LOCALHOST./ https://hooks.localhost/ https://database.internal/ https://printer.local/
https://intranet/ https://user@example.com/ https://user:word@127.0.0.1/ https://example.com@127.0.0.1/
https://example.com:99999/ https://example.com:x/ https://example.com/#fragment https://exa_mple..com/
https://①②⑦.0.0.1/ https://127。0。0。1/ https://exämple.com/
""".split()  # noqa: SIM905
HOSTILE_URLS += ["https://example.com/a b", "https://example.com/\r\nHost: other", "https://example.com\\@127.0.0.1/"]
HOSTILE_URLS += [f"https://example.com/{'a' * 2048}", f"https://{'a.' * 130}com/"]


@pytest.mark.parametrize("address", PRIVATE_ADDRESSES)
def test_a_name_that_leads_to_a_private_address_is_refused(address: str):
    """Also where a public address stands beside it."""
    assert not is_public(address)
    reason = "The address is not allowed: hooks.example.com leads to a private or reserved address."
    for addresses in ([address], [PUBLIC_ADDRESSES[0], address]):
        resolve = lambda _host, _port, _end, answer=addresses: answer  # noqa: E731
        attempt = send("https://hooks.example.com/", MESSAGE, [SECRET], 0, private=False, resolve=resolve)
        assert (attempt.status, attempt.error) == (None, reason)


@pytest.mark.parametrize("url", HOSTILE_URLS)
def test_a_hostile_url_is_refused(url: str):
    """When it is subscribed, and again when it is sent to."""
    with pytest.raises(InvalidRequest) as refusal:
        check_url(url, private=False)
    assert refusal.value.errors[0].field == "url"

    def resolve(host: str, _port: int, _end: float) -> list[str]:
        raise AssertionError(f"{host} was resolved")

    assert send(url, MESSAGE, [SECRET], 0, private=False, resolve=resolve).error == refusal.value.detail


@pytest.mark.parametrize(
    "url",
    [
        *("https://example.com", "https://hooks.example.com:8443/a/b?c=d", "https://xn--exmple-cua.com/"),
        *("https://8.8.8.8/", "https://[2606:4700:4700::1111]/"),
    ],
)
def test_an_ordinary_url_is_accepted(url: str):
    check_url(url, private=False)
    assert all(map(is_public, PUBLIC_ADDRESSES))


@pytest.mark.parametrize("url", ["http://localhost:9000/", "http://127.0.0.1/", "https://intranet/", "http://[::1]:8/"])
def test_an_operators_own_network_needs_the_option(url: str):
    check_url(url, private=True)
    with pytest.raises(InvalidRequest):
        check_url(url, private=False)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        receiver.secret = SECRET
        yield receiver


def test_a_name_is_resolved_once(receiver):
    """A name that answers with another address the next time gains nothing: there is no next time."""
    lookups = []

    def rebinding(host: str, _port: int, _end: float) -> list[str]:
        lookups.append(host)
        return ["127.0.0.1"] if len(lookups) == 1 else ["127.0.0.2"]

    url = receiver.url.replace("127.0.0.1", "hooks.example.com")
    attempt = send(url, MESSAGE, [SECRET], int(time.time()), private=True, resolve=rebinding)
    assert (attempt.status, lookups) == (204, ["hooks.example.com"])


def test_a_redirect_is_not_followed(receiver):
    receiver.answer = lambda _document: 307
    attempt = send(receiver.url, MESSAGE, [SECRET], int(time.time()), private=True)
    assert (attempt.status, len(receiver.ids)) == (307, 1)
    assert attempt.error == "The endpoint answered 307; redirects are not followed."


def test_a_slow_resolver_is_not_waited_for(monkeypatch):
    """The system's resolver cannot be interrupted, so it runs beside the delivery."""
    end = Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **_options: end.wait())
    try:
        attempt = send("https://hooks.example.com/", MESSAGE, [SECRET], 0, private=False, time_limit_s=0.2)
    finally:
        end.set()
    assert attempt.error == "No answer within 0.2 s."


KEY_SECRET = b"the secret of the service"


def test_a_message_verifies_with_each_valid_secret():
    """During a rotation both secrets sign, each the whole body; the old one ends after a day."""
    now = int(time.time())
    rotation = EndpointSecrets("wh_1", 1, now - OVERLAP_S + 1)
    old = EndpointSecrets("wh_1", 0, None).current(KEY_SECRET)
    secrets = rotation.valid([KEY_SECRET], now)
    assert secrets == [rotation.current(KEY_SECRET), old]
    message = Message("msg_1", 1, "lane.trade", '{"text":"ä"}')
    headers = signed_headers(message, secrets, now)
    for secret in secrets:
        assert Webhook(secret).verify(message.body, headers) == {"text": "ä"}
    with pytest.raises(WebhookVerificationError):
        Webhook(EndpointSecrets("wh_2", 0, None).current(KEY_SECRET)).verify(message.body, headers)
    assert rotation.valid([KEY_SECRET], now + 1) == [rotation.current(KEY_SECRET)]
    assert rotation.old_valid_until(now + 1) is None


def test_secrets_differ_by_endpoint_rotation_and_service():
    endpoints = [EndpointSecrets(id, rotations, None) for id in ("wh_1", "wh_2") for rotations in (0, 1)]
    assert len({endpoint.current(secret) for endpoint in endpoints for secret in (KEY_SECRET, b"another")}) == 8
