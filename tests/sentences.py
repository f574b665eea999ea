#!/usr/bin/env python3
"""The catalogue of sentences (src/core/sentence_*.c) against the sources.

Every format of a failure, a warning or a run's last sentence that a window or a report can show has a row, and every row has a
source. Every call that a failure names can be said too. Prints each breach, one a line.
"""
import glob
import json
import re
import sys

# What no Chinese window and no Chinese report shows, and why.
NOT_SHOWN = {
    "src/posix/": "the Linux twin: it has no window",
    "src/doctor/": "the doctor's findings are printed by a console program, in English",
    "src/core/seal.c": "sealing is a verb of the doctor",
    "src/core/sddl.c": "reads descriptors of our own, written in the source",
    "src/core/frameworks.c": "reads a table of our own, which is in the program",
    "installer/probe_": "the probe's answer is read by the program that started it",
    "installer/doctor_": "the doctor is a console program",
}
# Kinds of events that go to the log and the console only.
NOT_SHOWN_KINDS = ("CS_EVENT_NOTE", "CS_EVENT_DETAIL", "CS_EVENT_STEP")

# Functions that take a sentence, and which argument it is: everywhere, and in one file.
TAKES = {"cs_fail": 4, "cs_emit": 3, "cs_run_say": 1, "cs_source_bad": 2, "cs_source_read": 4, "pe_read": 4, "pe_read_name": 2,
         "cs_json_bad": 1, "warn": 2, "set_outcome": 3, "write_result": 4, "cs_app_run_unbegun": 6}
TAKES_HERE = {
    "src/core/archive_directory.c": {"bad": 1, "bad_entry": 2},
    "src/core/archive_extract.c": {"refuse_row": 3},
    "src/core/archive_select.c": {"refuse_list": 2},
    "src/core/json_check.c": {"refuse": 2},
    "src/core/options.c": {"USAGE": 2},
    "src/core/outfile.c": {"BAD": 1},
    "src/core/proof.c": {"skip": 1, "skip_all": 1},
    "src/core/record_rules.c": {"bad": 3},
    "src/core/session_check.c": {"bad": 2},
    "src/core/transaction_check.c": {"changed": 2},
    "src/core/unverified.c": {"refuse": 2},
}
# Functions whose every literal is a sentence or a part of one.
SAYS = {
    "src/core/archive.c": ("why_shut", "cs_trust_mark"),
    "src/core/archive_identify.c": ("cs_archive_origin", "content_name", "cs_archive_refuse_unknown"),
    "src/core/archive_names.c": ("cs_entry_name_fault",),
    "src/core/proof.c": ("judge_files", "say_files"),
    "src/core/security.c": ("right_name", "nobody_may"),
    "src/core/toolkit.c": ("cs_toolkits_explain", "cs_toolkit_source_text"),
    "src/core/toolkit_judge.c": ("refuse_place", "refuse_length", "refuse_links", "explain_missing"),
    "src/core/trees.c": ("way_out",),
    "src/core/verb.c": ("aftermath", "next_step"),
    "src/core/uninstall.c": ("say_strangers", "say_counts", "undo"),
    "src/core/recover_verb.c": ("say_ways", "say"),
    "src/core/verify.c": ("trust_words", "say_differences", "say_other_folder", "say_undo"),
}
# Literals in these that are no words of a sentence.
NO_WORDS = {"othing was changed", "as before", "PK\\5\\6", "PK\\3\\4", "\\t\\r\\n\\f", "bin", "include", "lib", "lib/x64",
            "include/cudnn.h", ", and not trusted, because ", "message"}

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\d[\w.]*|\s+|.', re.S)


def tokens(path):
    """(text, line) of each token; a literal's text begins with a quotation mark."""
    with open(path, encoding="utf-8") as file:
        line = 1
        for match in TOKEN.finditer(file.read()):
            text = match.group(0)
            if not text.startswith(("/*", "//")) and not text.isspace():
                yield text, line
            line += text.count("\n")


def literals(sequence):
    """The string literals, neighbours joined; PRIu64 and its kind stand in them by name."""
    joined = None
    for text in sequence:
        part = text[1:-1] if text[0] == '"' else "<%s>" % text if text.startswith("PRI") else None
        if part is None:
            if joined is not None:
                yield joined
            joined = None
        else:
            joined = (joined or "") + part
    if joined is not None:
        yield joined


def arguments(all_tokens, at):
    """Of the call whose opening bracket stands at `at`."""
    depth, found = 0, [[]]
    for text, _ in all_tokens[at:]:
        if text in "([{":
            depth += 1
            if depth == 1:
                continue
        elif text in ")]}":
            depth -= 1
            if depth == 0:
                break
        elif text == "," and depth == 1:
            found.append([])
            continue
        found[-1].append(text)
    return found


def function_body(all_tokens, name):
    """The tokens of the function's definition."""
    for at, (text, _) in enumerate(all_tokens):
        if text != name or at + 1 == len(all_tokens) or all_tokens[at + 1][0] != "(":
            continue
        depth, i = 0, at + 1
        while True:
            depth += {"(": 1, ")": -1}.get(all_tokens[i][0], 0)
            i += 1
            if depth == 0:
                break
        if all_tokens[i][0] != "{":
            continue
        start = i
        while True:
            depth += {"{": 1, "}": -1}.get(all_tokens[i][0], 0)
            i += 1
            if depth == 0:
                return all_tokens[start:i]
    return None


def is_words(text):
    """A format that is only fields, or names a file, says nothing."""
    return bool(re.search(r"[A-Za-z]{2}", re.sub(r"<PRI\w+>|%[-+#.*0-9hlzjt]*[a-zA-Z]", "", text)))


def is_shown(path):
    return not any(path.startswith(start) for start in NOT_SHOWN)


def sentences_of(path, all_tokens):
    """(line, format) of what this file can show."""
    takes = dict(TAKES, **TAKES_HERE.get(path, {}))
    for at, (name, line) in enumerate(all_tokens):
        if at + 1 == len(all_tokens) or all_tokens[at + 1][0] != "(":
            continue
        given = arguments(all_tokens, at + 1)
        index = takes.get(name)
        if name in ("cs_buffer_text", "cs_buffer_format") and any("message" in text for text in given[0]):
            index = 1
        if index is None or index >= len(given) or (name == "cs_emit" and "".join(given[1]) in NOT_SHOWN_KINDS):
            continue
        for text in literals(given[index]):
            yield line, text
    for name in SAYS.get(path, ()):
        body = function_body(all_tokens, name)
        if body is None:
            yield 0, "(there is no function %s any more)" % name
        for text in literals(text for text, _ in body or ()):
            if text not in NO_WORDS:
                yield body[0][1], text


def calls_of(all_tokens):
    """(line, operation) of failures that name one."""
    for at, (name, line) in enumerate(all_tokens):
        if name in ("cs_fail", "cs_fail_win32", "cs_fail_errno") and all_tokens[at + 1][0] == "(":
            given = arguments(all_tokens, at + 1)
            for text in literals(given[2]) if len(given) > 2 else ():
                yield line, text


def rows_of(path):
    """Pairs of literals in braces: {"english", "chinese"}."""
    all_tokens = list(tokens(path))
    for at, (text, line) in enumerate(all_tokens):
        if text != "{" or at + 1 == len(all_tokens) or all_tokens[at + 1][0][0] != '"':
            continue
        given = [list(literals(part)) for part in arguments(all_tokens, at)]
        yield line, [part[0] for part in given if part]


def main():
    breaches = []
    catalogue = {}
    for path in sorted(glob.glob("src/core/sentence_*.c")):
        if path.endswith("sentence_error.c"):
            continue
        for line, row in rows_of(path):
            if len(row) != 2:
                breaches.append("%s:%d: not English and Chinese" % (path, line))
                continue
            if row[0] in catalogue:
                breaches.append("%s:%d: twice: %s" % (path, line, row[0]))
            catalogue[row[0]] = "%s:%d" % (path, line)

    used, everywhere = set(), set()
    operations = {}
    for path in sorted(glob.glob("src/*/*.[ch]") + glob.glob("installer/*.[ch]")):
        if "/sentence" in path:
            continue
        all_tokens = list(tokens(path))
        everywhere.update(literals(text for text, _ in all_tokens))
        if not is_shown(path):
            continue
        for line, text in calls_of(all_tokens):
            operations.setdefault(text, "%s:%d" % (path, line))
        for line, text in sentences_of(path, all_tokens):
            if text in catalogue:
                used.add(text)
            elif is_words(text) and text not in NO_WORDS:
                breaches.append("%s:%d: not in the catalogue: %s" % (path, line, text))
    for path in glob.glob("manifests/*.json"):
        with open(path, encoding="utf-8") as file:
            everywhere.update(wrong.get("what") for wrong in json.load(file).get("wrong_archives", []))
    for text, place in catalogue.items():
        if text not in everywhere:
            breaches.append("%s: no source has: %s" % (place, text))

    said = dict(row[:2] for _, row in rows_of("src/core/status.c") if len(row) == 2)
    known = {row[0] for _, row in rows_of("src/core/sentence_error.c")}
    for text, place in operations.items():
        if not text.startswith("/") and said.get(text, text) not in known:
            breaches.append("%s: no Chinese for what it tried: cannot %s" % (place, said.get(text, text)))
    print("\n".join(breaches), end="\n" if breaches else "")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
