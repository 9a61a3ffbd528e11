"""Milestone types, branches and known addresses (document 2, S-52)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from .caller import Caller, integer_id, segment
from .milestones import Milestone, MilestoneReader
from .pages import Page, page_of
from .reading import Reader
from .steps import Group, M, Steps, Stream, call, stream


@dataclass(frozen=True)
class MilestoneType:
    """A type of milestone. `key` stands in paths, and `sequence` gives the order."""

    id: int
    key: str
    name: str
    sequence: int
    is_default_workflow: bool
    is_checklist_enabled: bool


@dataclass(frozen=True)
class MilestoneGroup:
    """A group of milestone types."""

    id: int
    key: str
    name: str
    sequence: int


@dataclass(frozen=True)
class WorkflowStep:
    """A milestone type, and the listing's milestones of this type."""

    type: MilestoneType
    milestones: tuple[Milestone, ...]


@dataclass(frozen=True)
class KnownAddress:
    """A property that Onward knows. `address_id` stands in `NewListing`."""

    address_id: int
    uprn: int
    full_address: str
    address_street_name: str
    address_area: str
    address_postal_code: str


@dataclass(frozen=True)
class CurrentListing:
    """The listing that sells a home, of any branch. `id` stands in `chains.link`."""

    id: int
    branch_name: str


@dataclass(frozen=True)
class AddressPage(Page[KnownAddress]):
    """A page of known addresses, and the listing to link to (S-91).

    `current_listing` is None if the text means no home or several ones, or if the home's listing
    is not linked and has neither Property Listed nor SSTC.
    """

    current_listing: CurrentListing | None


@dataclass(frozen=True)
class Branch:
    """A branch of an estate agent. `participant` is the agent's name."""

    branch_id: int
    name: str
    participant: str


class Catalogue(Group[M], Generic[M]):
    """Reads the data that listings refer to."""

    def __init__(self, mode: M, caller: Caller, milestones: MilestoneReader) -> None:
        super().__init__(mode)
        self._caller = caller
        self._milestones = milestones

    @call
    def milestone_types(self) -> Steps[tuple[MilestoneType, ...]]:
        """Return all milestone types, in the order of their sequence."""
        answer = yield from self._caller.read("/api/v1/milestone_type")
        return tuple(map(_read_type, answer.objects("data")))

    @call
    def milestone_groups(self) -> Steps[tuple[MilestoneGroup, ...]]:
        """Return the groups of milestone types."""
        answer = yield from self._caller.read("/api/v1/milestone_group")
        return tuple(map(_read_group, answer.objects("data")))

    @call
    def milestones_of_type(self, milestone_type_id: int, page: int = 1,
                           per_page: int = 15) -> Steps[Page[Milestone]]:
        """List the milestones of one type, of all the caller's listings."""
        yield from self._milestones.learn([milestone_type_id])
        return (yield from self._caller.page(
            _type_path(milestone_type_id), self._milestones.read, page, per_page))

    @stream
    def all_milestones_of_type(self, milestone_type_id: int) -> Stream[Milestone]:
        """Return all milestones of one type, page after page."""
        yield from self._milestones.learn([milestone_type_id])
        yield from self._caller.every(_type_path(milestone_type_id), self._milestones.read)

    @call
    def workflow(self, group: int | str, branch_id: int,
                 listing_id: int) -> Steps[tuple[WorkflowStep, ...]]:
        """Return the types of a group (id or key), each with the listing's milestones."""
        answer = yield from self._caller.read(
            f"/api/v1/milestone_group/{segment(group)}/branch/{segment(branch_id)}"
            f"/listing/{segment(listing_id)}/workflow")
        included = yield from self._milestones.read_all(answer.objects("included"))
        milestones = {found.id: found for found in included}
        return tuple(
            WorkflowStep(_read_type(entry), tuple(
                milestones[name.text("id")]
                for name in entry.member("relationships").member("milestones").objects("data")
                if name.text("id") in milestones))
            for entry in answer.objects("data"))

    @call
    def find_addresses(self, full_address: str, page: int = 1,
                       per_page: int = 15) -> Steps[AddressPage]:
        """List the known properties of a postcode or a whole address.

        If the text means one home, the page names its current listing, whoever sells it.
        A branch gets 200 such answers a day; RateLimited (`quota_used_up`) then follows.
        """
        answer = yield from self._caller.read_page("/api/v1/address/filter", page, per_page,
                                                   body={"full_address": full_address})
        return _read_address_page(answer)

    @stream
    def all_addresses(self, full_address: str) -> Stream[KnownAddress]:
        """Return all properties that `find_addresses` finds, page after page."""
        return self._caller.every("/api/v1/address/filter", _read_address,
                                  body={"full_address": full_address})

    @call
    def find_branches(self, name: str, page: int = 1,
                      per_page: int = 15) -> Steps[Page[Branch]]:
        """List the branches with this name."""
        return self._caller.page("/api/v1/branch/filter", _read_branch, page, per_page,
                                 body={"name": name})

    @stream
    def all_branches(self, name: str) -> Stream[Branch]:
        """Return all branches that `find_branches` finds, page after page."""
        return self._caller.every("/api/v1/branch/filter", _read_branch, body={"name": name})


def _type_path(milestone_type_id: int) -> str:
    return f"/api/v1/milestone_type/{segment(milestone_type_id)}/relationships/milestones"


def _read_type(reader: Reader) -> MilestoneType:
    attributes = reader.member("attributes")
    return MilestoneType(integer_id(reader), attributes.text("key"), attributes.text("name"),
                         attributes.integer("sequence"), attributes.flag("is_default_workflow"),
                         attributes.flag("is_checklist_enabled"))


def _read_address(reader: Reader) -> KnownAddress:
    attributes = reader.member("attributes")
    return KnownAddress(
        attributes.integer("address_id"), attributes.integer("uprn"),
        attributes.text("full_address"), attributes.text("address_street_name"),
        attributes.text("address_area"), attributes.text("address_postal_code"))


def _read_address_page(reader: Reader) -> AddressPage:
    page = page_of(reader, _read_address)
    current = reader.member_or_none("current_listing")
    return AddressPage(
        page.items, page.total, page.per_page, page.current_page, page.last_page,
        CurrentListing(current.integer("id"), current.text("branch_name")) if current else None)


def _read_group(reader: Reader) -> MilestoneGroup:
    attributes = reader.member("attributes")
    return MilestoneGroup(integer_id(reader), attributes.text("key"), attributes.text("name"),
                          attributes.integer("sequence"))


def _read_branch(reader: Reader) -> Branch:
    attributes = reader.member("attributes")
    return Branch(integer_id(reader), attributes.text("name"), attributes.text("participant"))
