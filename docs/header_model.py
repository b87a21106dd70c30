# SPDX-License-Identifier: Apache-2.0
"""What public headers declare: Doxygen finds declarations and comments, the headers' own text gives the signatures."""
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

SETTINGS = """
FILE_PATTERNS = *.hpp
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
EXTRACT_STATIC = YES
HAVE_DOT = NO
CLASS_GRAPH = NO
DIRECTORY_GRAPH = NO
INCLUDE_GRAPH = NO
INCLUDED_BY_GRAPH = NO
COLLABORATION_GRAPH = NO
QUIET = YES
WARNINGS = NO
"""
SPECIAL = {"ndash": "–", "mdash": "—", "nonbreakablespace": " ", "linebreak": "\n"}


@dataclass
class Entry:
    """One declaration. `comment` is Markdown with links {{identifier|text}}; `shares`: it has the comment of the one
    above; `in_body`: it is shown with its class."""
    kind: str
    name: str
    identifier: str
    qualified: str
    start: int
    end: int
    code: str
    comment: str
    types: list
    needs_comment: bool = True
    trailing: bool = False
    shares: bool = False
    in_body: bool = False
    members: list = field(default_factory=list)


@dataclass
class Header:
    path: str
    purpose: str
    entries: list


def run_doxygen(root, folders, output):
    """Writes Doxygen's XML of the headers that lie directly in the folders to output/xml."""
    output.mkdir(parents=True, exist_ok=True)
    headers = [path for folder in folders for path in sorted((root / folder).glob("*.hpp"))]
    lines = [SETTINGS, f'OUTPUT_DIRECTORY = "{output}"', f'STRIP_FROM_PATH = "{root}"']
    lines += [f'INPUT += "{path}"' for path in headers]
    subprocess.run(["doxygen", "-"], input="\n".join(lines), text=True, check=True, cwd=root, stderr=subprocess.DEVNULL)
    return [str(path.relative_to(root)) for path in headers]


def escape(text):
    """Text that Markdown prints as it is."""
    text = re.sub(r"([\\`*_\[\]{}|])", r"\\\1", text)
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code_span(text):
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def inline(node):
    """Markdown of what a paragraph of Doxygen's XML holds."""
    parts = [escape(node.text or "")]
    for child in node:
        if child.tag == "ref":
            parts.append("{{" + child.get("refid") + "|" + "".join(child.itertext()) + "}}")
        elif child.tag == "computeroutput":
            refs = child.findall("ref")
            text = "".join(child.itertext())
            whole = len(refs) == 1 and "".join(refs[0].itertext()) == text
            parts.append("{{" + refs[0].get("refid") + "|" + text + "}}" if whole else code_span(text))
        elif child.tag in ("emphasis", "bold"):
            mark = "*" if child.tag == "emphasis" else "**"
            parts.append(mark + inline(child) + mark)
        elif child.tag in ("itemizedlist", "orderedlist"):
            parts.append("\n\n" + "\n".join("- " + blocks(item).replace("\n", "\n    ") for item in child) + "\n\n")
        elif child.tag in ("verbatim", "preformatted", "programlisting"):
            parts.append("\n\n```text\n" + "".join(child.itertext()).strip("\n") + "\n```\n\n")
        else:
            parts.append(SPECIAL.get(child.tag, "") + inline(child))
        parts.append(escape(child.tail or ""))
    return "".join(parts)


def blocks(node):
    return "\n\n".join(text for para in node.findall("para") if (text := inline(para).strip()))


def comment_of(node):
    found = [blocks(part) for tag in ("briefdescription", "detaileddescription") if (part := node.find(tag)) is not None]
    return "\n\n".join(text for text in found if text)


def is_end_of_other(line):
    """Whether a declaration cannot begin on this line and go on below it."""
    text = line.split("//")[0].strip()
    return not text or text[0] == "#" or text[-1] in ";{}" or text in ("public:", "protected:", "private:") or "//" in line


class Source:
    """The text of a header. Lines are counted from 1."""

    def __init__(self, path):
        self.lines = path.read_text().split("\n")

    def purpose(self):
        """The first comment behind the licence."""
        found = []
        for line in self.lines[1:]:
            if not line.startswith("//"):
                break
            found.append(line[2:].strip())
        return " ".join(found)

    def first_line(self, line):
        while line > 1 and not is_end_of_other(self.lines[line - 2]):
            line -= 1
        return line

    def declaration(self, start, stops):
        """The text from `start` to the first of the characters `stops` outside of brackets, and the line of that."""
        depth = 0
        out = []
        for number in range(start, len(self.lines) + 1):
            line = self.lines[number - 1]
            code = re.sub(r'"(\\.|[^"\\])*"', lambda found: "s" * len(found[0]), line)
            code = re.sub(r"//.*", "", code)
            for at, letter in enumerate(code):
                if depth == 0 and letter in stops and code[at - 1:at + 2].count(":") < 2:
                    out.append(line[:at])
                    return self.tidy(out), number
                depth += (letter in "({[") - (letter in ")}]")
            out.append(line)
        return self.tidy(out), len(self.lines)

    @staticmethod
    def tidy(lines):
        lines = [re.sub(r"\s*//.*", "", line) if '"' not in line else line for line in lines]
        margin = len(lines[0]) - len(lines[0].lstrip())
        return "\n".join(line[min(margin, len(line) - len(line.lstrip())):].rstrip() for line in lines).strip()

    def with_comment(self, start, end):
        """These lines and the comment above them."""
        while self.lines[start - 2].strip().startswith("///"):
            start -= 1
        return self.lines[start - 1:end]


def needs_comment(node, code):
    """What the comment of the class, of the base or the name itself covers needs no comment of its own."""
    name = node.findtext("name")
    scope = node.findtext("qualifiedname", "").split("::")[-2:-1]
    is_special = name.startswith(("operator", "~")) or [re.sub("<.*", "", part) for part in scope] == [name]
    is_accessor = bool(scope) and node.get("const") == "yes" and not node.findall("param")
    return not (is_special or is_accessor or name in ("begin", "end", "to_string", "instance")
                or re.search(r"= (default|delete)$|\b(override|final)$", code))


class Model:
    """All headers of some folders. `xml` is where Doxygen wrote."""

    def __init__(self, root, xml, paths):
        self.root = root
        self.sources = {path: Source(root / path) for path in paths}
        self.compounds = {}
        for file in sorted(xml.glob("*.xml")):
            if file.name != "index.xml" and (found := ElementTree.parse(file).find("compounddef")) is not None:
                self.compounds[found.get("id")] = found
        self.headers = [self.header(path) for path in paths]

    def header(self, path):
        file = next(node for node in self.compounds.values()
                    if node.get("kind") == "file" and node.find("location").get("file") == path)
        entries = [self.member(node) for node in file.iter("memberdef")]
        scopes = [self.compounds[part.get("refid")] for part in file.findall("innernamespace")]
        seen = {entry.identifier for entry in entries}
        for scope in scopes:
            if "@" in scope.findtext("compoundname"):
                continue
            for node in scope.iter("memberdef"):
                if node.find("location").get("file") == path and node.get("id") not in seen:
                    seen.add(node.get("id"))
                    entries.append(self.member(node))
        for part in file.findall("innerclass"):
            found = self.compounds.get(part.get("refid"))
            if found is not None and part.get("prot") == "public" and not self.is_nested(found):
                entries.append(self.compound(found))
        entries = self.share([entry for entry in entries if entry])
        purpose = self.sources[path].purpose()
        classes = [entry for entry in entries if entry.kind in ("class", "struct")]
        if len(classes) == 1 and not classes[0].comment:
            classes[0].needs_comment = False  # the first comment of the header is about it
        return Header(path, purpose, entries)

    def is_nested(self, node):
        scope = node.findtext("compoundname").rsplit("::", 1)[0]
        return any(other.findtext("compoundname") == scope and other.get("kind") in ("class", "struct")
                   for other in self.compounds.values())

    def entry(self, node, kind, name, qualified, stops):
        location = node.find("location")
        source = self.sources[location.get("file")]
        line = int(location.get("line"))
        start = source.first_line(line)
        code, end = source.declaration(start, stops)
        if kind == "function" and location.get("bodyfile") == location.get("file"):
            end = max(end, int(location.get("bodyend", end)))
        comment = comment_of(node)
        trailing = any("///<" in text for text in source.lines[start - 1:end])
        types = [ref.get("refid") for part in (*node.findall("type"), *node.findall("param/type")) for ref in part.iter("ref")]
        return Entry(kind, name, node.get("id"), qualified, start, end, code, comment, types, trailing=trailing)

    def member(self, node):
        kind, name = node.get("kind"), node.findtext("name")
        qualified = node.findtext("qualifiedname") or name
        if node.get("prot") == "private" or kind == "friend" or name.startswith("@") or node.find("location") is None:
            return None
        stops = {"function": ";{:", "enum": ";"}.get(kind, ";")
        if kind == "define":
            return self.define(node, name)
        entry = self.entry(node, kind, name, qualified, stops)
        entry.code = entry.code + (";" if kind in ("enum", "typedef", "variable") else "")
        entry.needs_comment = kind == "function" and needs_comment(node, entry.code)
        is_hidden = kind == "function" and (name.startswith("~") or re.search(r"= (default|delete)$", entry.code))
        return None if is_hidden and not entry.comment else entry

    def define(self, node, name):
        line = int(node.find("location").get("line"))
        parameters = ", ".join(part.text for part in node.findall("param/defname"))
        return Entry("define", name, node.get("id"), name, line, line, f"{name}({parameters})" if parameters else name,
                     comment_of(node), [], needs_comment=True)

    def compound(self, node):
        qualified = node.findtext("compoundname")
        entry = self.entry(node, node.get("kind"), qualified.split("::")[-1], qualified, "{;")
        entry.end = max(entry.end, int(node.find("location").get("bodyend", 0)))
        entry.types = [base.get("refid") for base in node.findall("basecompoundref") if base.get("refid")]
        members = [self.member(part) for part in node.iter("memberdef")]
        members += [self.compound(self.compounds[part.get("refid")]) for part in node.findall("innerclass")
                    if part.get("prot") == "public" and part.get("refid") in self.compounds]
        entry.members = self.share([member for member in members if member])
        if re.search(r"<.*>$", qualified):  # a specialisation: its template has the comments
            for part in (entry, *entry.members):
                part.needs_comment = False
        entry.code += self.body(self.sources[node.find("location").get("file")], entry.members)
        return entry

    @staticmethod
    def body(source, members):
        """Variables with their comments, and functions that have none: constructors and accessors."""
        lines = []
        for member in members:
            if member.kind == "variable":
                lines += [line for line in source.with_comment(member.start, member.end) if line not in lines]
            elif member.kind == "function" and not member.comment and not member.shares:
                member.in_body = True
                lines += [f"  {line}" for line in (member.code + ";").split("\n")]
        if not lines:
            return ";"
        lines = [re.sub("///<?", "//", line) for line in lines]
        margin = min(len(line) - len(line.lstrip()) for line in lines)
        return " {\n" + "\n".join("  " + line[margin:] for line in lines) + "\n};"

    @staticmethod
    def share(entries):
        """In the order of the header. A comment above a declaration holds for those that follow without an empty line."""
        entries = sorted(entries, key=lambda entry: entry.start)
        head, last = None, 0
        for entry in entries:
            if entry.comment and not entry.trailing:
                head = entry
            elif entry.start != last + 1:
                head = None
            elif not entry.comment and head is not None:
                entry.shares = True
            last = entry.end
        return entries
