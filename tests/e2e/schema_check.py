"""Checks a JSON value against a schema of the project: as much of JSON Schema as docs/result.schema.json uses, and an error for a
keyword that is not known here, so that nothing is passed over in silence."""

import json
import os
import re

IGNORED = {"$schema", "$defs", "title", "description", "$comment"}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool}
RESULT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "result.schema.json")


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


class Checker:
    def __init__(self, path=RESULT):
        with open(path, "rb") as file:
            self.root = json.loads(file.read().decode("utf-8"))

    def problems(self, value):
        """A list of sentences; empty: the value is as the schema says."""
        found = list(self.walk(value, self.root, "$"))
        return found + ["$ has %s, which the schema does not tell of" % name for name in set(value) - set(self.root["properties"])]

    def resolve(self, reference):
        at = self.root
        for part in reference.removeprefix("#/").split("/"):
            at = at[part]
        return at

    def walk(self, value, schema, where):
        for keyword, wanted in schema.items():
            if keyword in IGNORED:
                continue
            check = getattr(self, "on_" + keyword.replace("$", ""), None)
            if check is None:
                raise ValueError("the checker does not know the keyword %s" % keyword)
            yield from check(value, wanted, where, schema)

    def on_ref(self, value, wanted, where, _):
        yield from self.walk(value, self.resolve(wanted), where)

    def on_type(self, value, wanted, where, _):
        if not is_type(value, wanted):
            yield "%s is no %s: %r" % (where, wanted, value)

    def on_const(self, value, wanted, where, _):
        if value != wanted or isinstance(value, bool) != isinstance(wanted, bool):
            yield "%s is %r, not %r" % (where, value, wanted)

    def on_enum(self, value, wanted, where, _):
        if value not in wanted:
            yield "%s is %r, which is none of %s" % (where, value, wanted)

    def on_pattern(self, value, wanted, where, _):
        if isinstance(value, str) and not re.search(wanted, value, re.DOTALL):
            yield "%s does not match %s: %r" % (where, wanted, value)

    def on_minLength(self, value, wanted, where, _):
        if isinstance(value, str) and len(value) < wanted:
            yield "%s is shorter than %d" % (where, wanted)

    def on_minimum(self, value, wanted, where, _):
        if is_type(value, "integer") and value < wanted:
            yield "%s is %d, below %d" % (where, value, wanted)

    def on_required(self, value, wanted, where, _):
        for name in wanted:
            if isinstance(value, dict) and name not in value:
                yield "%s has no %s" % (where, name)

    def on_properties(self, value, wanted, where, _):
        for name, schema in wanted.items():
            if isinstance(value, dict) and name in value:
                yield from self.walk(value[name], schema, "%s.%s" % (where, name))

    def on_additionalProperties(self, value, wanted, where, schema):
        if isinstance(value, dict) and wanted is False:
            for name in set(value) - set(schema.get("properties", {})):
                yield "%s has %s, which nobody knows" % (where, name)

    def on_minProperties(self, value, wanted, where, _):
        if isinstance(value, dict) and len(value) < wanted:
            yield "%s has fewer than %d names" % (where, wanted)

    def on_items(self, value, wanted, where, _):
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from self.walk(item, wanted, "%s[%d]" % (where, index))

    def on_anyOf(self, value, wanted, where, _):
        if not any(not list(self.walk(value, schema, where)) for schema in wanted):
            yield "%s is none of what it may be" % where
