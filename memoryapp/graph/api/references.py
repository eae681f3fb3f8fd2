"""How a body names a node: by its id, or by class and identity keys."""

from __future__ import annotations

import re
import uuid
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from memoryapp.graph.statements import NodeKeys, NodeReference

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class NodeNamed(serializers.Field[Any, Any, Any, Any]):
    """A node by id, or as {"class", "keys"}. Gives what services take."""

    accepted = 'a node\'s id, or {"class": "person", "keys": {"email": "ines@ferro.example"}}'

    def to_internal_value(self, data: Any) -> NodeReference:
        if isinstance(data, str):
            return node_id(data)
        if isinstance(data, dict) and set(data) == {"class", "keys"}:
            return NodeKeys(class_name(data["class"]), keys(data["keys"]))
        raise ValidationError("This does not name a node.", code="not_a_node")

    def to_representation(self, value: Any) -> Any:
        return value


def node_id(data: str) -> uuid.UUID:
    """The id that a text is."""
    if not _UUID.fullmatch(data):
        raise ValidationError("This is not a node's id.", code="not_an_id")
    return uuid.UUID(data)


def class_name(data: Any) -> str:
    """The class that is named."""
    if not isinstance(data, str) or not 0 < len(data) <= 100:
        raise ValidationError("The class of a node is a text.", code="wrong_type")
    return data


def keys(data: Any) -> dict[str, Any]:
    """Identity keys: each a plain value."""
    if not isinstance(data, dict) or not data or len(data) > 20:
        raise ValidationError("Keys are an object with at least one key.", code="wrong_type")
    if any(isinstance(value, dict | list) or value is None for value in data.values()):
        raise ValidationError("A key has one plain value.", code="wrong_type")
    return dict(data)
