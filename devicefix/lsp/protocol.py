"""JSON-RPC as pygls speaks it, and an answer to requests whose parameters are not valid."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import JsonRPCNotification

_IGNORED = "$/invalid"
"""A notification that begins like this may be ignored (JSON-RPC in the specification of LSP)."""


class Protocol(LanguageServerProtocol):
    """pygls logs a request that it cannot read, and never answers it: an editor waits for ever."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The message that ``data`` is; a request with invalid parameters is refused at once."""
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if "method" not in data or not isinstance(data.get("id"), (int, str)):
                raise
            reason = JsonRpcInvalidParams(f"invalid parameters of {data['method']}")
            self._send_response(data["id"], None, reason.to_response_error())
            return JsonRPCNotification(jsonrpc=self.VERSION, method=_IGNORED, params=None)
