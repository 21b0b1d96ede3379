"""What the environment may say."""

import pytest

from settings import Downstream, read_settings

NAMES = ["HOST", "PORT", "TIERUP_WORKERS", "DOWNSTREAM_URL", "DOWNSTREAM_TIMEOUT_MS"]


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


def test_what_is_not_said_has_a_default():
    settings = read_settings()
    assert (settings.host, settings.port) == ("127.0.0.1", 3000)
    assert settings.workers >= 1
    assert settings.downstream == Downstream("http://127.0.0.1:4000", 5.0)


@pytest.mark.parametrize(
    "name, value",
    [
        *[("PORT", "70000"), ("PORT", "http"), ("PORT", "-1"), ("PORT", "\u0663"), ("TIERUP_WORKERS", "0")],
        *[("TIERUP_WORKERS", "1.5"), ("DOWNSTREAM_TIMEOUT_MS", "0")],
    ],
)
def test_numbers_that_make_no_sense_end_it(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match=rf'^{name} must be a whole number from \d+ to \d+, not "{value}"$'):
        read_settings()


@pytest.mark.parametrize("value", ["http://127.0.0.1:4000", "http://sums.internal/v1/", "http://[::1]:80"])
def test_where_sums_are_posted_to(monkeypatch, value):
    monkeypatch.setenv("DOWNSTREAM_URL", value)
    assert read_settings().downstream.url == value.rstrip("/")


WRONG = ["https://example.org", "127.0.0.1:4000", "http://", "/", "http://a?b=c", "http://a#b", "http://a b", "http://a:b"]


@pytest.mark.parametrize("value", WRONG)
def test_what_is_no_address_ends_it(monkeypatch, value):
    monkeypatch.setenv("DOWNSTREAM_URL", value)
    with pytest.raises(SystemExit) as ended:
        read_settings()
    assert str(ended.value) == f'DOWNSTREAM_URL must be an address such as http://127.0.0.1:4000, not "{value}"'
