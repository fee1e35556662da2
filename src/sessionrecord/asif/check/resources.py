"""Resources: members that fit the availability, bytes that are what they are said to be."""

from __future__ import annotations

from collections.abc import Iterator

from sessionrecord import ijson
from sessionrecord.asif.check.core import Core
from sessionrecord.asif.items import moved
from sessionrecord.asif.models import Provenance, Resource
from sessionrecord.diagnostics import excerpt

__all__ = ["check_provenance", "check_resources"]


def check_resources(core: Core) -> None:
    """Every resource; the bytes of an embedded one are decoded and hashed whether they are used or not."""
    store = core.document.store(core.limits)
    paths: dict[str, str] = {}
    for place, resource in core.document.resources.placed():
        pointer = ijson.pointer("resources", place)
        for message in _members(resource):
            core.report("resource-members", message, "resources", place, about=resource.id)
        read = store.get(resource.id)
        if read is not None and core.document.resources.find(resource.id) is resource:
            core.found += [moved(f, pointer, about=resource.id) for f in read.findings]
        if resource.path is not None:
            other = paths.setdefault(resource.path.casefold(), resource.path)
            if other != resource.path:
                message = f"{excerpt(resource.path)} and {excerpt(other)} differ in case alone"
                core.report("resource-path-collision", message, "resources", place, "path", about=resource.id)
        if resource.provenance is not None:
            check_provenance(core, resource.provenance, resource.id, "resources", place, "provenance")


def _members(resource: Resource) -> Iterator[str]:
    given = [name for name in ("text", "data", "path") if getattr(resource, name) is not None]
    if resource.availability == "embedded":
        if len(given) != 1:
            yield f"an embedded resource has one of text, data and path, not {' and '.join(given) or 'none'}"
        for name in ("bytes", "sha256"):
            if getattr(resource, name) is None:
                yield f"an embedded resource has {name}"
    else:
        if given:
            yield f"a resource that is {resource.availability} has no {' and no '.join(given)}"
        if resource.explanation is None:
            yield f"a resource that is {resource.availability} has an explanation"
        if resource.availability == "external" and resource.locator is None:
            yield "an external resource has a locator"
    if resource.purpose == "session_memory" and resource.provenance is None:
        yield "a resource of session memory has provenance"


def check_provenance(core: Core, provenance: Provenance, about: str, *place: str | int) -> None:
    """What derived and synthetic things must tell, and that what is named is there."""
    if provenance.mode in ("derived", "synthetic") and (provenance.method is None or provenance.inputs is None):
        message = f"what is {provenance.mode} has method and inputs"
        core.report("provenance-incomplete", message, *place, about=about)
    for i, reference in enumerate(provenance.inputs or ()):
        core.check_reference(reference, about, *place, "inputs", i)
    for i, source in enumerate(provenance.sources or ()):
        core.check_resource(source.resource_id, about, *place, "sources", i, "resource_id")
