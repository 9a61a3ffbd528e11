"""Calls as steps, so that one source serves the synchronous and the asynchronous client.

A call is a generator. It yields the steps that need the world outside, such as an HTTP request,
and receives their results. `Sync` and `Async` perform these steps. `call` and `stream` make methods
of such generators: the methods of a `Group[Sync]` return, those of a `Group[Async]` are awaited.
"""

from __future__ import annotations

import abc
import functools
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    Iterator,
    Mapping,
)
from dataclasses import dataclass, field
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

P = ParamSpec("P")
T = TypeVar("T")
ANSWER_LIMIT_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True)
class Request:
    """The step that sends one HTTP request. Its result is an `Answer`.

    `repeatable` says that sending it twice does no harm. `body_limit` is in bytes.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    params: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = field(default=None, repr=False)
    repeatable: bool = True
    body_limit: int = ANSWER_LIMIT_BYTES


@dataclass(frozen=True)
class Answer:
    """The status, header and complete body of an answer. Names of fields are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Pause:
    """The step that waits for some seconds."""

    seconds: float


@dataclass(frozen=True)
class Turn:
    """The step that acquires a lock of the mode. The generator releases the lock itself."""

    lock: Any


@dataclass(frozen=True)
class Sign:
    """The step that lets the signer of an assertion sign a message. Its result is the signature."""

    signer: Callable[[bytes], bytes | Awaitable[bytes]] = field(repr=False)
    message: bytes = field(repr=False)


@dataclass(frozen=True)
class Close:
    """The step that closes the connections."""


@dataclass(frozen=True)
class Item(Generic[T]):
    """One item of a stream, which goes to the caller."""

    value: T


Step = Request | Pause | Turn | Sign | Close
Steps = Generator[Step, Any, T]
Stream = Generator[Step | Item[T], Any, None]


def send_once(request: Request) -> Steps[Answer]:
    """Send a request, and return its answer, whatever its status."""
    answer: Answer = yield request
    return answer


class Sync(abc.ABC):
    """Performs steps and waits for each. Several threads may use it."""

    @abc.abstractmethod
    def perform(self, step: Step) -> object:
        """Perform one step, and return its result."""

    @abc.abstractmethod
    def new_lock(self) -> Any:
        """Return a lock for `Turn`."""

    def run(self, steps: Steps[T]) -> T:
        """Perform all steps, and return the result of the generator."""
        try:
            step = next(steps)
            while True:
                try:
                    result = self.perform(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(result)
        except StopIteration as done:
            value: T = done.value
            return value

    def iterate(self, steps: Stream[T]) -> Iterator[T]:
        """Perform the steps as the caller takes the items."""
        try:
            step = next(steps)
            while True:
                if isinstance(step, Item):
                    yield step.value
                    step = next(steps)
                    continue
                try:
                    result = self.perform(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(result)
        except StopIteration:
            return
        finally:
            steps.close()


class Async(abc.ABC):
    """Performs steps and awaits each. Several tasks of one event loop may use it."""

    @abc.abstractmethod
    async def perform(self, step: Step) -> object:
        """Perform one step, and return its result."""

    @abc.abstractmethod
    def new_lock(self) -> Any:
        """Return a lock for `Turn`."""

    async def run(self, steps: Steps[T]) -> T:
        """Perform all steps, and return the result of the generator."""
        try:
            step = next(steps)
            while True:
                try:
                    result = await self.perform(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(result)
        except StopIteration as done:
            value: T = done.value
            return value

    async def iterate(self, steps: Stream[T]) -> AsyncIterator[T]:
        """Perform the steps as the caller takes the items."""
        try:
            step = next(steps)
            while True:
                if isinstance(step, Item):
                    yield step.value
                    step = next(steps)
                    continue
                try:
                    result = await self.perform(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(result)
        except StopIteration:
            return
        finally:
            steps.close()


M = TypeVar("M", bound=Sync | Async)


class Group(Generic[M]):
    """A class whose methods are made by `call` and `stream`."""

    def __init__(self, mode: M) -> None:
        self._mode = mode


class call(Generic[P, T]):
    """Makes a method of a generator of steps. The method's result is that of the generator."""

    def __init__(self, function: Callable[Concatenate[Any, P], Steps[T]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, group: None, owner: type) -> Callable[Concatenate[Any, P], Steps[T]]: ...
    @overload
    def __get__(self, group: Group[Sync], owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, group: Group[Async],
                owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...

    def __get__(self, group: Any, owner: type) -> Any:
        # `help` of the class shows the generator.
        return self.function if group is None else _bind(self.function, group, group._mode.run)


class stream(Generic[P, T]):
    """Makes a method of a generator of steps and items. The method returns an iterator."""

    def __init__(self, function: Callable[Concatenate[Any, P], Stream[T]]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, group: None, owner: type) -> Callable[Concatenate[Any, P], Stream[T]]: ...
    @overload
    def __get__(self, group: Group[Sync], owner: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, group: Group[Async], owner: type) -> Callable[P, AsyncIterator[T]]: ...

    def __get__(self, group: Any, owner: type) -> Any:
        if group is None:
            return self.function
        return _bind(self.function, group, group._mode.iterate)


def _bind(function: Callable[..., Any], group: object, run: Callable[..., Any]) -> Any:
    @functools.wraps(function)
    def bound(*args: Any, **options: Any) -> Any:
        return run(function(group, *args, **options))

    # `help` then shows the arguments without self.
    bound.__wrapped__ = functools.partial(function, group)
    return bound
