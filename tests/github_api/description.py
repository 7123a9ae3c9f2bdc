"""GitHub's own description of its REST API: what may be asked, and what an answer looks like.

``openapi.json`` is made by ``scripts/trim_github_openapi.py``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from openapi_core import OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

_HOST: Final = "http://api.example"


@cache
def document() -> dict[str, Any]:
    """The trimmed description."""
    text = Path(__file__).with_name("openapi.json").read_text(encoding="utf-8")
    return {**json.loads(text), "servers": [{"url": _HOST}]}


@cache
def _api() -> OpenAPI:
    return OpenAPI.from_dict(document())


@dataclass(frozen=True, slots=True)
class Asked:
    """One request."""

    method: str
    path: str
    """Below the address of the API."""
    query: str = ""
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> Any:
        """What it sends along."""
        return json.loads(self.body) if self.body else None

    def _mock(self) -> MockRequest:
        return MockRequest(
            _HOST,
            self.method.lower(),
            self.path,
            args=dict(parse_qsl(self.query)),
            data=self.body or None,
            content_type="application/json",
        )

    def complaint(self) -> str:
        """What GitHub's description says against it; the empty string where it says nothing."""
        try:
            _api().validate_request(self._mock())
        except OpenAPIError as error:
            return f"{error}: {error.__cause__ or ''}"
        unknown = set(self.content or {}) - self._keys()
        return f"unknown keys {sorted(unknown)}" if unknown else ""

    def _keys(self) -> set[str]:
        """What the body may have; the schemas of GitHub do not forbid more."""
        for template, operations in document()["paths"].items():
            if re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), self.path):
                body = operations[self.method.lower()].get("requestBody")
                schema = body["content"]["application/json"]["schema"] if body else {}
                return set(schema.get("properties", ()))
        return set()

    def complaint_about(self, answer: bytes, status: int) -> str:
        """The same of an answer to it."""
        try:
            _api().validate_response(self._mock(), MockResponse(answer, status_code=status))
        except OpenAPIError as error:
            details = getattr(error.__cause__, "schema_errors", ())
            return f"{error}: {[one.message for one in details][:3]}"
        return ""


def filled(schema: str, known: Mapping[str, Any]) -> dict[str, Any]:
    """``known``, with all else that ``schema`` demands of an object."""
    return {**_specimen(document()["components"]["schemas"][schema]), **known}


def _specimen(schema: Mapping[str, Any]) -> Any:
    """The least that a schema is content with."""
    if "$ref" in schema:
        return _specimen(document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    if schema.get("nullable") and "type" in schema:
        return None
    if "enum" in schema:
        return schema["enum"][0]
    for key in ("allOf", "oneOf", "anyOf"):
        if key in schema:
            return _specimen(schema[key][0])
    if "properties" in schema:
        properties = schema["properties"]
        return {name: _specimen(properties[name]) for name in schema.get("required", ())}
    return _of_type(schema)


def _of_type(schema: Mapping[str, Any]) -> Any:
    texts = {"uri": "https://example.org/", "date-time": "2026-01-01T00:00:00Z"}
    match schema.get("type"):
        case "string":
            return texts.get(schema.get("format", ""), "")
        case "integer" | "number":
            return 0
        case "boolean":
            return False
        case "array":
            return []
        case _:
            return {}
