#!/usr/bin/env python3
"""What clang says about definitions, references and calls of a C or C++ tree, in the format that
`cargo xtask truth` reads. Needs the package `libclang` of PyPI; nothing is built or executed.

    python3 clang_truth.py REPO REVISION ROOT c|cpp FILES [-- FLAG…] | gzip -9n > REPO.json.gz

FILES are globs relative to ROOT, separated by commas, of the translation units. Headers below ROOT
that they include are part of the truth. FLAGs are those of the compiler; include folders are
relative to ROOT. Declarations and definitions of one entity are one symbol with several places.
A name that no cursor explains (code that conditions leave out, bodies of macros, names that depend
on a template's argument) is written as unknown: it counts neither way."""

import collections
import glob
import json
import os
import re
import sys

from ctypes import POINTER, byref, c_uint

from clang.cindex import CursorKind as K, File, Index, SourceLocation, TranslationUnit, c_object_p, conf

conf.lib.clang_getFileLocation.argtypes = [SourceLocation, POINTER(c_object_p), POINTER(c_uint), POINTER(c_uint), POINTER(c_uint)]
conf.lib.clang_getFileLocation.restype = None

KINDS = {
    K.FUNCTION_DECL: 'function', K.FUNCTION_TEMPLATE: 'function', K.CXX_METHOD: 'method', K.CONSTRUCTOR: 'constructor',
    K.DESTRUCTOR: 'destructor', K.CONVERSION_FUNCTION: 'method', K.STRUCT_DECL: 'struct', K.UNION_DECL: 'union',
    K.CLASS_DECL: 'class', K.CLASS_TEMPLATE: 'class', K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION: 'class',
    K.ENUM_DECL: 'enum', K.ENUM_CONSTANT_DECL: 'enum_member', K.FIELD_DECL: 'field', K.TYPEDEF_DECL: 'type',
    K.TYPE_ALIAS_DECL: 'type', K.TYPE_ALIAS_TEMPLATE_DECL: 'type', K.MACRO_DEFINITION: 'macro',
}
FUNCTIONS = {K.FUNCTION_DECL, K.FUNCTION_TEMPLATE, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION}
USES = {K.DECL_REF_EXPR, K.MEMBER_REF_EXPR, K.TYPE_REF, K.MEMBER_REF, K.TEMPLATE_REF, K.MACRO_INSTANTIATION}
# Names that these have in the text are explained, though they are no symbols of the truth.
OTHERS = {K.PARM_DECL, K.VAR_DECL, K.NAMESPACE, K.TEMPLATE_TYPE_PARAMETER, K.TEMPLATE_NON_TYPE_PARAMETER, K.LABEL_STMT,
          K.LABEL_REF, K.NAMESPACE_REF, K.VARIABLE_REF, K.NAMESPACE_ALIAS}


class Truth:
    def __init__(self, root):
        self.root = os.path.realpath(root) + os.sep
        self.files, self.texts = {}, []
        self.symbols, self.by_usr = [], {}
        self.explained = collections.defaultdict(set)   # file -> (line, column) that clang explains
        self.calls = set()
        self.ours = {}
        self.bodies = collections.defaultdict(set)      # file -> (first place, last place, symbol) of functions

    def file(self, name):
        """Returns the number of a file below the root, or None."""
        if name in self.ours:
            return self.ours[name]
        path = os.path.realpath(name)
        number = None
        if path.startswith(self.root):
            relative = path[len(self.root):]
            if relative not in self.files:
                self.files[relative] = len(self.files)
                self.texts.append(open(path, 'rb').read().split(b'\n'))
            number = self.files[relative]
        self.ours[name] = number
        return number

    def place(self, location):
        """Returns file, line and column of a location in the text, or None outside of the root."""
        # An argument of a macro has the place where it is written.
        file, line, column = c_object_p(), c_uint(), c_uint()
        conf.lib.clang_getFileLocation(location, byref(file), byref(line), byref(column), None)
        if not file:
            return None
        number = self.file(File(file).name)
        return None if number is None else (number, line.value, column.value)

    def has(self, place, name):
        """Returns whether a name stands at a place: what a macro makes has the place of its use."""
        number, line, column = place
        lines = self.texts[number]
        text = lines[line - 1] if line <= len(lines) else b''
        at = column - 1
        name = name.encode()
        return text[at:at + len(name)] == name and not re.match(rb'\w', text[at + len(name):at + len(name) + 1])

    def symbol(self, cursor):
        """Returns the number of the symbol that a cursor declares, or None."""
        name = cursor.spelling.split('<')[0] if cursor.kind != K.MACRO_DEFINITION else cursor.spelling
        name = name.lstrip('~')
        kind = KINDS.get(cursor.kind)
        if cursor.kind == K.VAR_DECL and cursor.semantic_parent and cursor.semantic_parent.kind not in FUNCTIONS:
            kind = 'variable'
        place = self.place(cursor.location)
        if not kind or not place or not re.fullmatch(r'\w+', name) or not self.has(place, name) and not self.has((*place[:2], place[2] + 1), name):
            return None
        usr = cursor.get_usr() or f'{place}{name}'
        if cursor.kind == K.TYPEDEF_DECL:
            # `typedef struct node {…} node;` is one type with two names.
            tagged = cursor.underlying_typedef_type.get_declaration()
            if tagged.kind in KINDS and tagged.spelling == name and self.symbol(tagged) is not None:
                usr = tagged.get_usr()
        if usr not in self.by_usr:
            self.by_usr[usr] = len(self.symbols)
            self.symbols.append(dict(name=name, kind=kind, defs={}, refs={}))
        symbol = self.symbols[self.by_usr[usr]]
        is_body = cursor.is_definition() or cursor.kind == K.MACRO_DEFINITION
        symbol['defs'].setdefault(place, (not is_body, cursor.extent.end.line))
        self.explained[place[0]].add(place[1:])
        return self.by_usr[usr]

    def use(self, cursor, caller):
        target = cursor.referenced if cursor.kind != K.MACRO_INSTANTIATION else cursor.get_definition() or cursor.referenced
        place = self.place(cursor.location)
        if place is None:
            return
        if target is None:
            return
        name = cursor.spelling.split('<')[0]
        if cursor.kind in (K.TYPE_REF, K.TEMPLATE_REF):
            name = target.spelling.split('<')[0]
        if cursor.kind == K.MEMBER_REF_EXPR and not self.has(place, name):
            # The location of a member is its name, unless a macro made it.
            return
        if not name or not self.has(place, name):
            return
        self.explained[place[0]].add(place[1:])
        template = conf.lib.clang_getSpecializedCursorTemplate(target)
        target = template if template is not None and template.kind in KINDS else target
        number = self.symbol(target)
        if number is None or place in self.symbols[number]['defs']:
            return
        kind = self.symbols[number]['kind']
        is_call = kind in ('function', 'method', 'macro') and self.texts[place[0]][place[1] - 1][place[2] - 1 + len(name):].lstrip()[:1] in (b'(', b'<')
        self.symbols[number]['refs'][place] = is_call
        if is_call and caller is not None:
            self.calls.add((caller, number, place[1]))

    def walk(self, unit):
        pending = [(unit.cursor, None)]
        while pending:
            cursor, caller = pending.pop()
            for child in cursor.get_children():
                if child.kind != K.MACRO_INSTANTIATION and self.place(child.location) is None and child.location.file is not None:
                    continue
                inside = caller
                place = self.place(child.location)
                if child.kind in KINDS or child.kind == K.VAR_DECL:
                    number = self.symbol(child)
                    if child.kind in FUNCTIONS and number is not None:
                        inside = number
                        if child.is_definition() and place and child.extent.start.file and self.file(child.extent.start.file.name) == place[0]:
                            start, end = child.extent.start, child.extent.end
                            self.bodies[place[0]].add(((start.line, start.column), (end.line, end.column), number))
                elif child.kind in USES:
                    self.use(child, caller)
                if child.kind in OTHERS and place:
                    self.explained[place[0]].add(place[1:])
                pending.append((child, inside))

    def macro_calls(self):
        """Adds the calls of macros: their cursors stand at the top of a unit, not in functions."""
        for number, symbol in enumerate(self.symbols):
            for (file, *at), is_call in symbol['refs'].items():
                if is_call and symbol['kind'] == 'macro':
                    around = [body for body in self.bodies[file] if body[0] <= tuple(at) <= body[1]]
                    if around:
                        self.calls.add((max(around)[2], number, at[0]))

    def code(self, number):
        """Returns the lines of a file with blanks for comments and texts, which have no uses."""
        pattern = rb'R"([^(\s]{0,16})\(.*?\)\1"|//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
        return re.sub(pattern, lambda found: re.sub(rb'[^\n]', b' ', found[0]), b'\n'.join(self.texts[number]), flags=re.S).split(b'\n')

    def unknown(self):
        """Finds the names of symbols in places that no cursor explains."""
        names = {symbol['name'] for symbol in self.symbols}
        found = collections.defaultdict(set)
        for number in range(len(self.texts)):
            lines = self.code(number)
            explained = self.explained[number]
            for at, text in enumerate(lines):
                for word in re.finditer(rb'[A-Za-z_]\w*', text):
                    name = word[0].decode()
                    place = (at + 1, word.start() + 1)
                    if name in names and place not in explained:
                        found[name].add((number, *place))
        for symbol in self.symbols:
            for number, line, column in symbol['refs']:
                found[symbol['name']].discard((number, line, column))
        return {name: sorted(places) for name, places in sorted(found.items()) if places}

    def write(self, repository, revision, language):
        paths = list(self.files)
        is_test = lambda number: re.search(r'(^|/)tests?(/|_)|_test\.|_test_|benchmark', paths[number]) is not None
        spot = lambda place, end: dict(path=paths[place[0]], line=place[1], col=place[2], end_line=end)
        symbols = []
        for number, symbol in enumerate(self.symbols):
            defs = sorted(symbol['defs'].items(), key=lambda one: (one[1][0], one[0]))
            defs = [spot(place, end) for place, (_, end) in defs]
            entry = dict(id=number, name=symbol['name'], kind=symbol['kind'], **{'def': defs[0]})
            if len(defs) > 1:
                entry['defs'] = defs
            if is_test(self.files[defs[0]['path']]):
                entry['test'] = True
            entry['refs'] = [dict(path=paths[place[0]], line=place[1], col=place[2], **({'is_call': True} if is_call else {}), **({'test': True} if is_test(place[0]) else {}))
                             for place, is_call in sorted(symbol['refs'].items())]
            symbols.append(entry)
        edges = [dict(caller=a, callee=b, line=line, is_call=True) for a, b, line in sorted(self.calls)]
        json.dump(dict(repo=repository, rev=revision, language=language, files=paths, symbols=symbols, edges=edges, unknown=self.unknown()), sys.stdout, separators=(',', ':'))
        uses = sum(len(symbol['refs']) for symbol in self.symbols)
        print(f'{repository}: {len(paths)} files, {len(symbols)} symbols, {uses} references, {len(edges)} calls', file=sys.stderr)


def main():
    arguments, flags = sys.argv[1:], []
    if '--' in arguments:
        at = arguments.index('--')
        arguments, flags = arguments[:at], arguments[at + 1:]
    repository, revision, root, language, patterns = arguments
    os.chdir(root)
    truth = Truth('.')
    index = Index.create()
    # The wheel has no headers of its own.
    builtin = [f'-isystem{folder}' for folder in sorted(glob.glob('/usr/lib/gcc/x86_64-linux-gnu/*/include'))]
    units = sorted({path for pattern in patterns.split(',') for path in glob.glob(pattern, recursive=True)})
    for path in units:
        unit = index.parse(path, args=[*flags, *builtin], options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        fatal = [problem.spelling for problem in unit.diagnostics if problem.severity >= 4]
        if fatal:
            print(f'{path}: {fatal[0]}', file=sys.stderr)
        truth.walk(unit)
    truth.macro_calls()
    truth.write(repository, revision, language)


if __name__ == '__main__':
    main()
