"""Milestone types, branches and known addresses (document 2, S-52)."""

from __future__ import annotations

from dataclasses import dataclass

from .caller import Caller, integer_id, segment
from .listing_model import Milestone, Page, page_of, read_milestone
from .reading import Reader


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
class Branch:
    """A branch of an estate agent. `participant` is the agent's name."""

    branch_id: int
    name: str
    participant: str


class Catalogue:
    """Reads the data that listings refer to."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def milestone_types(self) -> tuple[MilestoneType, ...]:
        """Return all milestone types, in the order of their sequence."""
        return tuple(map(_read_type, self._caller.read("/api/v1/milestone_type").objects("data")))

    def milestone_groups(self) -> tuple[MilestoneGroup, ...]:
        """Return the groups of milestone types."""
        return tuple(
            MilestoneGroup(integer_id(entry), attributes.text("key"), attributes.text("name"),
                           attributes.integer("sequence"))
            for entry in self._caller.read("/api/v1/milestone_group").objects("data")
            for attributes in [entry.member("attributes")])

    def milestones_of_type(self, milestone_type_id: int, page: int = 1,
                           per_page: int = 15) -> Page[Milestone]:
        """List the milestones of one type, of all the caller's listings."""
        answer = self._caller.read(
            f"/api/v1/milestone_type/{segment(milestone_type_id)}/relationships/milestones",
            {"page": page, "per_page": per_page})
        return page_of(answer, tuple(map(read_milestone, answer.objects("data"))))

    def workflow(self, group: int | str, branch_id: int,
                 listing_id: int) -> tuple[WorkflowStep, ...]:
        """Return the types of a group (id or key), each with the listing's milestones."""
        answer = self._caller.read(
            f"/api/v1/milestone_group/{segment(group)}/branch/{segment(branch_id)}"
            f"/listing/{segment(listing_id)}/workflow")
        milestones = {found.id: found
                      for found in map(read_milestone, answer.objects("included"))}
        return tuple(
            WorkflowStep(_read_type(entry), tuple(
                milestones[name.text("id")]
                for name in entry.member("relationships").member("milestones").objects("data")
                if name.text("id") in milestones))
            for entry in answer.objects("data"))

    def find_addresses(self, full_address: str, page: int = 1,
                       per_page: int = 15) -> Page[KnownAddress]:
        """List the known properties of a postcode or a whole address."""
        answer = self._filter("address", {"full_address": full_address}, page, per_page)
        return page_of(answer, tuple(map(_read_address, answer.objects("data"))))

    def find_branches(self, name: str, page: int = 1, per_page: int = 15) -> Page[Branch]:
        """List the branches with this name."""
        answer = self._filter("branch", {"name": name}, page, per_page)
        return page_of(answer, tuple(
            Branch(integer_id(entry), attributes.text("name"), attributes.text("participant"))
            for entry in answer.objects("data") for attributes in [entry.member("attributes")]))

    def _filter(self, kind: str, body: dict[str, object], page: int, per_page: int) -> Reader:
        answer = self._caller.write_plainly(
            "POST", f"/api/v1/{kind}/filter", body, params={"page": page, "per_page": per_page})
        return Reader.of_body(answer.body)


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
