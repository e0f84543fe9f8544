"""What goes wrong between a client and a server, before or beside any statement.

The servers raise these. They stand here since only this layer knows the codes that clients are told.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError


class ProtocolViolation(HoldfastError):
    """The client does not speak the protocol. Nothing that it says afterwards can be understood."""


class MessageMalformed(HoldfastError):
    """A message ends where it should, and what is in it is no message of its kind."""


class MessageTooLong(HoldfastError):
    """A message is longer than the server takes. It was skipped, and the next can be read."""

    def __init__(self, kind: int, length: int, limit: int) -> None:
        super().__init__("message is too long")
        self.kind = kind
        self.detail = f"The message has {length} bytes; at most {limit} are accepted."


class ClientGone(HoldfastError):
    """The connection was lost."""

    def __init__(self) -> None:
        super().__init__("connection to client lost")


class CopyFailed(HoldfastError):
    """The client gave up what it was copying in."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"COPY from stdin failed: {reason}")


class PasswordRefused(HoldfastError):
    """The same error whether the role or the password is wrong: which of them is not for strangers to know."""

    def __init__(self, user: str) -> None:
        super().__init__(f'password authentication failed for user "{user}"')


class ServerStopping(HoldfastError):
    def __init__(self) -> None:
        super().__init__("terminating connection due to administrator command")


class PortalNotRunnable(HoldfastError):
    """The portal has run to its end, and what it did cannot be done again."""

    def __init__(self, name: str) -> None:
        super().__init__(f'portal "{name}" cannot be run')


class InternalError(HoldfastError):
    """Something that nobody foresaw. What it was is in the server's log."""

    def __init__(self) -> None:
        super().__init__("internal error")


class UnsafeAddress(HoldfastError):
    """Whoever reaches the address could do as they please."""


class RequestMalformed(HoldfastError):
    """A request of HTTP is not what the API takes."""


class CrossSite(HoldfastError):
    """A request is from a page of another site, or may be."""


class SettingInvalid(HoldfastError):
    """A setting of the server is unknown, or has a value that it cannot have."""


class CannotListen(HoldfastError):
    """The address is taken, or is not one of this machine's."""
