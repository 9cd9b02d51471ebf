// What the TypeScript compiler says about definitions, references and calls in a repository, as JSON on stdout.
//
//   node truth_typescript.mjs REPOSITORY --name NAME --rev REVISION --scope FOLDER[,FOLDER…] \
//       [--project TSCONFIG]… [--map FROM=TO]… [--without KIND,…] [--source WHERE] | gzip -9n > NAME.json.gz
//
// REPOSITORY is a checkout with its dependencies installed; `typescript` is looked for beside this script. Every
// TypeScript file below the folders of --scope is read: with the first --project (tsconfig.json without one) that lists it,
// or with the options of the first project if none does. --map reads imports of a folder of build results from its
// sources (dist=src). --without leaves out symbols of some kinds (field, variable).
//
// Symbols are functions, methods, constructors, classes, interfaces, type aliases, enums and their members, namespaces,
// variables of modules and namespaces, and the fields of classes, interfaces and object types with a name. Variables that
// hold a function or class are such, wherever they are. What the compiler merges (overloads, accessors, merged declarations,
// augmentations of modules) is one symbol with several places; the declaration comes before its augmentations.
//
// A reference through an alias belongs to what it leads to; a name in an import or export clause is a reference, too.
// A member of an object literal refers to the property of the type that is expected there, a destructured name to the
// property it reads. A property of a union belongs to each of its types. The caller of a call is the innermost function
// around its line. Lines and columns are 1-based, columns count UTF-8 bytes.

import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: 'string' },
    rev: { type: 'string', default: '' },
    scope: { type: 'string', default: '.' },
    project: { type: 'string', multiple: true, default: ['tsconfig.json'] },
    map: { type: 'string', multiple: true, default: [] },
    without: { type: 'string', default: '' },
    source: { type: 'string' },
  },
})
if (positionals.length !== 1) {
  console.error('usage: truth_typescript.mjs REPOSITORY --name NAME --rev REVISION --scope FOLDERS [--project TSCONFIG]… [--map FROM=TO]…')
  process.exit(2)
}
const root = fs.realpathSync(positionals[0])
const scope = given.scope.split(',')
const without = new Set(given.without.split(','))
const maps = given.map.map((pair) => pair.split('=').map((folder) => path.join(root, folder) + path.sep))

const IS_SOURCE = /\.[cm]?tsx?$/
const IS_TEST =
  /(^|\/)(tests?|__tests__|dtslint|benchmarks?|perf)\/|[.-](test|spec|test-d|bench)\.[cm]?tsx?$/
// Of several declarations with one name, the first of these says what the symbol is.
const KINDS = [
  'class', 'function', 'method', 'constructor', 'interface', 'enum', 'type', 'namespace', 'variable', 'enum_member', 'field',
]
const CALLABLE = new Set(['function', 'method', 'constructor'])

// ---- Files and programs

const files = scope.flatMap((folder) => sources(path.join(root, folder))).sort()
const paths = new Map(files.map((file) => [file, path.relative(root, file)]))
const texts = new Map()

function sources(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) return ['node_modules', '.git'].includes(entry.name) ? [] : sources(file)
    return entry.isFile() && IS_SOURCE.test(entry.name) ? [file] : []
  })
}

/** The programs with the files that each is asked about. */
function* programs() {
  const left = new Set(files)
  let first
  for (const project of given.project) {
    const file = path.join(root, project)
    const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (problem) => console.error(problem.messageText) }
    const config = ts.getParsedCommandLineOfConfigFile(file, { noEmit: true, composite: false, incremental: false }, host)
    first ??= config
    const own = config.fileNames.map((name) => path.normalize(name)).filter((name) => left.has(name))
    own.forEach((name) => left.delete(name))
    yield [program(config.fileNames, config.options), own]
  }
  if (left.size > 0) yield [program([...left], first.options), [...left]]
}

function program(names, options) {
  if (maps.length > 0) options = { ...options, rootDir: undefined }
  const host = ts.createCompilerHost(options)
  if (maps.length > 0) {
    const cache = ts.createModuleResolutionCache(root, (name) => name, options)
    host.resolveModuleNameLiterals = (literals, from, redirected, options, file) =>
      literals.map((literal) => {
        const source = mapped(literal.text, from)
        if (source) {
          const resolvedModule = { resolvedFileName: source, extension: path.extname(source), isExternalLibraryImport: false }
          return { resolvedModule }
        }
        const mode = ts.getModeForUsageLocation(file, literal, options)
        return ts.resolveModuleName(literal.text, from, options, host, cache, redirected, mode)
      })
  }
  return ts.createProgram({ rootNames: names, options, host })
}

/** The source that an import of a build result is made from. */
function mapped(specifier, from) {
  if (!specifier.startsWith('.')) return undefined
  const target = path.join(path.dirname(from), specifier)
  for (const [built, made] of maps) {
    if (!target.startsWith(built)) continue
    const stem = made + target.slice(built.length).replace(/\.([cm]?)jsx?$/, '')
    const found = ['.ts', '.tsx', '.mts', '.cts', '/index.ts'].map((end) => stem + end).find((file) => fs.existsSync(file))
    if (found) return found
  }
  return undefined
}

// ---- Places

/** The line and the column in bytes of a position. */
function position(file, offset) {
  let text = texts.get(file.fileName)
  if (!text) {
    const starts = [0]
    for (let at = file.text.indexOf('\n'); at >= 0; at = file.text.indexOf('\n', at + 1)) starts.push(at + 1)
    texts.set(file.fileName, (text = { starts }))
  }
  let [low, high] = [0, text.starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (text.starts[middle] <= offset) low = middle
    else high = middle - 1
  }
  return { line: low + 1, col: Buffer.byteLength(file.text.slice(text.starts[low], offset)) + 1 }
}

const pathOf = (file) => paths.get(path.normalize(file.fileName))

// ---- Definitions

/** What has been defined, by place; a parent leads to another place of the same symbol. */
const places = new Map()

const bare = (node) => {
  while (
    node &&
    (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isNonNullExpression(node))
  )
    node = node.expression
  return node
}
const isFunction = (node) => !!node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))

/** What kind of symbol a declaration makes; nothing for those that are none. */
function kindOf(node) {
  if (ts.isFunctionDeclaration(node)) return 'function'
  if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || ts.isAccessor(node)) return 'method'
  if (ts.isConstructorDeclaration(node)) return 'constructor'
  if (ts.isClassDeclaration(node)) return 'class'
  if (ts.isInterfaceDeclaration(node)) return 'interface'
  if (ts.isTypeAliasDeclaration(node)) return 'type'
  if (ts.isEnumDeclaration(node)) return 'enum'
  if (ts.isEnumMember(node)) return 'enum_member'
  if (ts.isModuleDeclaration(node)) return ts.isIdentifier(node.name) && node.name.text !== 'global' ? 'namespace' : undefined
  if (ts.isVariableDeclaration(node)) {
    const value = bare(node.initializer)
    if (isFunction(value)) return 'function'
    if (value && ts.isClassExpression(value)) return 'class'
    return isOfModule(node) ? 'variable' : undefined
  }
  if (ts.isBindingElement(node)) return isOfModule(node) ? 'variable' : undefined
  if (ts.isPropertyAssignment(node)) return isFunction(bare(node.initializer)) ? 'method' : undefined
  if (ts.isPropertyDeclaration(node)) return isFunction(bare(node.initializer)) ? 'method' : 'field'
  if (ts.isParameter(node)) return ts.isParameterPropertyDeclaration(node, node.parent) ? 'field' : undefined
  if (ts.isPropertySignature(node)) return isOfNamedType(node) ? 'field' : undefined
  return undefined
}

/** True for a variable of a file or namespace. */
function isOfModule(node) {
  const list = ts.findAncestor(node, ts.isVariableDeclarationList)
  const around = list?.parent
  return !!around && ts.isVariableStatement(around) && (ts.isSourceFile(around.parent) || ts.isModuleBlock(around.parent))
}

/** True for a field of an interface or of an object type that an alias names. */
function isOfNamedType(node) {
  let around = node.parent
  if (ts.isInterfaceDeclaration(around)) return true
  do around = around.parent
  while (ts.isIntersectionTypeNode(around) || ts.isUnionTypeNode(around) || ts.isParenthesizedTypeNode(around))
  return ts.isTypeAliasDeclaration(around)
}

const isName = (node) =>
  !!node && (ts.isIdentifier(node) || ts.isPrivateIdentifier(node) || ts.isStringLiteralLike(node) || ts.isNumericLiteral(node))

/** The name of a declaration that is a symbol. */
function nameOf(node) {
  if (ts.isConstructorDeclaration(node)) return node
  return node.name && isName(node.name) ? node.name : undefined
}

/** The start of the name; of a constructor, its keyword. */
function startOf(node, file) {
  if (!ts.isConstructorDeclaration(node)) return nameOf(node).getStart(file)
  const last = node.modifiers?.at(-1)
  return last ? ts.skipTrivia(file.text, last.end) : node.getStart(file)
}

const isAugmentation = (node) =>
  !!ts.findAncestor(node, (around) => ts.isModuleDeclaration(around) && (ts.isStringLiteral(around.name) || around.name.text === 'global'))

function keyOf(node) {
  const file = node.getSourceFile()
  if (!nameOf(node) || !pathOf(file)) return undefined
  return `${pathOf(file)}\0${startOf(node, file)}`
}

/** The place of a declaration, made when it is first met. */
function placeOf(node) {
  const kind = kindOf(node)
  const key = kind && keyOf(node)
  if (!key) return undefined
  let place = places.get(key)
  if (!place) {
    const file = node.getSourceFile()
    const name = ts.isConstructorDeclaration(node) ? 'constructor' : nameOf(node).text
    const spot = { path: pathOf(file), ...position(file, startOf(node, file)), end_line: position(file, node.end).line }
    place = { key, kind, name, spot, augments: isAugmentation(node), parent: undefined }
    places.set(key, place)
  }
  return place
}

function find(place) {
  while (place.parent) place = place.parent
  return place
}

function define(node, checker) {
  const place = placeOf(node)
  if (!place) return
  const symbol = ts.isConstructorDeclaration(node) ? node.symbol : checker.getSymbolAtLocation(node.name)
  for (const declaration of symbol?.declarations ?? []) {
    const other = placeOf(declaration)
    if (other && find(other) !== find(place)) find(other).parent = find(place)
  }
}

// ---- References

const uses = []
const unknown = []

/** The symbols that a name refers to; null if the compiler does not know. */
function targets(node, checker) {
  const parent = node.parent
  if (ts.isShorthandPropertyAssignment(parent) && parent.name === node)
    return [...resolved(checker.getShorthandAssignmentValueSymbol(parent), checker) ?? [], ...expected(parent, node, checker)]
  if (isMember(parent) && parent.name === node) return expected(parent, node, checker)
  if (ts.isBindingElement(parent) && parent.name === node) {
    if (!ts.isObjectBindingPattern(parent.parent) || parent.propertyName || parent.dotDotDotToken) return []
    const type = checker.getTypeAtLocation(parent.parent)
    return properties(type.isUnion() ? type.types : [type], node.text, checker)
  }
  if (ts.isExportSpecifier(parent) && !parent.parent.parent.moduleSpecifier)
    return resolved(checker.getExportSpecifierLocalTargetSymbol(parent), checker)
  if (isImport(node)) return resolved(checker.getSymbolAtLocation(node), checker)
  if (isDeclared(node)) return []
  if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return resolved(checker.getSymbolAtLocation(node), checker) ?? []
  return resolved(checker.getSymbolAtLocation(node), checker)
}

/** What a symbol stands for, aliases followed. */
function resolved(symbol, checker) {
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) {
    const alias = symbol
    symbol = checker.getAliasedSymbol(symbol)
    if (checker.isUnknownSymbol(symbol)) return null
    if (!symbol.declarations) return isNamespace(alias) ? [] : null
  }
  if (!symbol || checker.isUnknownSymbol(symbol)) return null
  if (!symbol.declarations) return checker.isUndefinedSymbol(symbol) || checker.isArgumentsSymbol(symbol) ? [] : null
  return [symbol]
}

const isNamespace = (alias) => alias.declarations?.some((node) => ts.isNamespaceImport(node) || ts.isNamespaceExport(node))

/** True for what is written in an object literal, or in the tag of an element. */
const isMember = (node) =>
  ts.isObjectLiteralElement(node) && (ts.isObjectLiteralExpression(node.parent) || ts.isJsxAttributes(node.parent))

/** The property that the expected type of an object literal or element has for a member. */
function expected(member, name, checker) {
  if (!isName(name)) return []
  const type = checker.getContextualType(member.parent)
  if (!type) return []
  const types = type.isUnion() ? type.types : [type]
  const fitting = types.filter((one) => !checker.isTypeInvalidDueToUnionDiscriminant?.(one, member.parent))
  return properties(fitting, name.text, checker)
}

function properties(types, name, checker) {
  return types.map((one) => checker.getPropertyOfType(one, name)).filter((symbol) => !!symbol)
}

/** True for the name that a declaration gives. */
function isDeclared(node) {
  const parent = node.parent
  if (ts.isPropertyAccessExpression(parent) || ts.isMetaProperty(parent)) return ts.isMetaProperty(parent)
  if (ts.isQualifiedName(parent) || ts.isJsxNamespacedName(parent)) return false
  if (ts.isLabeledStatement(parent) || ts.isBreakOrContinueStatement(parent)) return true
  if (ts.isTypePredicateNode(parent) || ts.isNamespaceExportDeclaration(parent)) return ts.isNamespaceExportDeclaration(parent)
  if (ts.isNamedTupleMember(parent)) return parent.name === node
  return parent.name === node
}

const isImport = (node) => {
  const parent = node.parent
  return ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isImportClause(parent) || ts.isImportEqualsDeclaration(parent)
}

/** True if a name, or the property access that it ends, is called, made, or used as a tag. */
function isCalled(node) {
  let used = node
  const around = node.parent
  if (ts.isPropertyAccessExpression(around) && around.name === node) used = around
  else if (ts.isElementAccessExpression(around) && around.argumentExpression === node) used = around
  while (bare(used.parent) !== used.parent) used = used.parent
  const parent = used.parent
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent) || ts.isDecorator(parent)) return parent.expression === used
  if (ts.isTaggedTemplateExpression(parent)) return parent.tag === used
  return (ts.isJsxOpeningElement(parent) || ts.isJsxSelfClosingElement(parent)) && parent.tagName === used
}

/** True if a function without a name is between a place and the next symbol around it. */
function isInAnonymous(node) {
  const around = ts.findAncestor(node.parent, ts.isFunctionLike)
  if (!around || kindOf(around)) return false
  let holder = around.parent
  while (bare(holder) !== holder) holder = holder.parent
  return !(kindOf(holder) && bare(holder.initializer) === around)
}

/** True for a string that names a property: `value['name']`, `Type['name']`. */
const isKey = (node) =>
  ts.isStringLiteralLike(node) &&
  ((ts.isElementAccessExpression(node.parent) && node.parent.argumentExpression === node) ||
    (ts.isLiteralTypeNode(node.parent) && ts.isIndexedAccessTypeNode(node.parent.parent) && node.parent.parent.indexType === node.parent) ||
    (isMember(node.parent) && node.parent.name === node))

function visit(node, file, checker) {
  define(node, checker)
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node) || isKey(node)) {
    const found = node.text === '' ? [] : targets(node, checker)
    const at = { path: pathOf(file), ...position(file, node.getStart(file)) }
    if (found === null) unknown.push({ name: node.text, at })
    const keys = new Set()
    for (const declaration of found?.flatMap((symbol) => symbol.declarations ?? []) ?? []) {
      const place = placeOf(declaration)
      if (place) keys.add(place)
    }
    if (keys.size > 0) {
      const isSpecifier = isImport(node) || ts.isExportAssignment(node.parent)
      uses.push({ keys, at, isCall: isCalled(node), isImport: isSpecifier, isAnonymous: isInAnonymous(node) })
    }
  }
  ts.forEachChild(node, (child) => visit(child, file, checker))
}

const asked = []
for (const [program, own] of programs()) {
  const checker = program.getTypeChecker()
  const problems = own.flatMap((name) => program.getSemanticDiagnostics(program.getSourceFile(name)))
  console.error(`${own.length} files, ${problems.length} problems, TypeScript ${ts.version}`)
  for (const name of own) {
    const file = program.getSourceFile(name)
    if (!file) continue
    asked.push(paths.get(name))
    visit(file, file, checker)
  }
}

// ---- The answer

asked.sort()
const order = (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line || a.col - b.col)
const isTest = (name) => IS_TEST.test(name)
const read = new Set(asked)

const groups = new Map()
for (const place of places.values()) {
  if (!read.has(place.spot.path)) continue
  const first = find(place)
  groups.set(first, [...(groups.get(first) ?? []), place])
}
const symbols = [...groups.values()].map((group) => {
  group.sort((a, b) => a.augments - b.augments || order(a.spot, b.spot))
  const [{ name, spot }] = group
  const kind = KINDS.find((kind) => group.some((place) => place.kind === kind))
  const symbol = { id: `${spot.path}:${spot.line}:${spot.col}:${name}`, name, kind, def: spot }
  if (group.length > 1) symbol.defs = group.map((place) => place.spot)
  if (isTest(spot.path)) symbol.test = true
  return { ...symbol, refs: [], group }
}).filter((symbol) => !without.has(symbol.kind))
symbols.sort((a, b) => order(a.def, b.def))
const numbers = new Map(symbols.flatMap((symbol, number) => symbol.group.map((place) => [place, number])))

const functions = new Map()
symbols.forEach((symbol, number) => {
  if (!CALLABLE.has(symbol.kind)) return
  for (const spot of symbol.defs ?? [symbol.def])
    functions.set(spot.path, [...(functions.get(spot.path) ?? []), [spot.line, spot.end_line, number]])
})
functions.forEach((list) => list.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]))
const enclosing = ({ path, line }) => functions.get(path)?.findLast(([start, end]) => start <= line && line <= end)?.[2]

const edges = new Map()
for (const { keys, at, isCall, isImport, isAnonymous } of uses) {
  const caller = isImport ? undefined : enclosing(at)
  for (const callee of new Set([...keys].map((place) => numbers.get(place)))) {
    if (callee === undefined) continue
    const ref = { ...at }
    if (isCall) ref.is_call = true
    if (isImport) ref.import = true
    if (isTest(at.path)) ref.test = true
    symbols[callee].refs.push(ref)
    if (caller === undefined) continue
    const edge = { caller, callee, line: at.line, is_call: isCall }
    if (isAnonymous) edge.via_anon = true
    edges.set(`${caller} ${callee} ${at.line} ${isCall}`, edge)
  }
}
const names = new Set(symbols.map((symbol) => symbol.name))
const neutral = new Map()
const numberOf = new Map(asked.map((name, number) => [name, number]))
for (const { name, at } of unknown) {
  if (!names.has(name)) continue
  if (!neutral.has(name)) neutral.set(name, [])
  neutral.get(name).push([numberOf.get(at.path), at.line, at.col])
}
for (const symbol of symbols) {
  symbol.refs.sort(order)
  delete symbol.group
}
const truth = {
  repo: given.name ?? path.basename(root),
  rev: given.rev,
  source: given.source ?? '',
  language: 'typescript',
  tool: `typescript ${ts.version}`,
  scope,
  files: asked,
  symbols,
  edges: [...edges.values()].sort((a, b) => a.caller - b.caller || a.line - b.line || a.callee - b.callee),
  unknown: Object.fromEntries([...neutral].sort(([a], [b]) => (a < b ? -1 : 1))),
}
process.stdout.write(JSON.stringify(truth) + '\n')
