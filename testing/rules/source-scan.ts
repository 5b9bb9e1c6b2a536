/**
 * Extracts from one source file what the floor plan checks: its imports (static, type, dynamic, re-export, worker), the impurities it uses,
 * its length, and whether it only re-exports. Works on the syntax tree, so comments, strings and JSX text cannot mislead it. It does not
 * resolve scopes: a local variable called `fetch` counts as fetch.
 */
import { parseSync } from 'vite'

/** The impurities that only some rooms may use. */
export type Power = 'time' | 'chance' | 'network' | 'process' | 'console' | 'worker' | 'global' | 'bun' | 'deno'

/** Something found in a file, with its line. */
export interface Found<T> {
  what: T
  line: number
}

/** What the floor plan needs to know of a file. */
export interface Source {
  /** Module names as written, without a query. */
  imports: Found<string>[]
  powers: Found<Power>[]
  lines: number
  /** Has exports, and every statement is an import or a re-export. */
  onlyHandsOn: boolean
}

const globals: Record<string, Power> = {
  setTimeout: 'time',
  setInterval: 'time',
  setImmediate: 'time',
  performance: 'time',
  crypto: 'chance',
  fetch: 'network',
  WebSocket: 'network',
  EventSource: 'network',
  XMLHttpRequest: 'network',
  process: 'process',
  globalThis: 'global',
  console: 'console',
  Worker: 'worker',
  Bun: 'bun',
  Deno: 'deno',
}

const members: Record<string, Power> = { 'Math.random': 'chance', 'AbortSignal.timeout': 'time' }

/** Members of Date that do not read the clock. */
const pureDate = new Set(['UTC', 'parse', 'prototype'])

type Node = { type: string; start: number } & Record<string, unknown>

/** Scans one file. Throws if the text is not valid TypeScript. */
export function scanSource(path: string, text: string): Source {
  const { program, errors } = parseSync(path, text)
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`)
  const source: Source = { imports: [], powers: [], lines: text.split('\n').length - 1, onlyHandsOn: false }
  const lineOf = (node: Node) => text.slice(0, node.start).split('\n').length
  visit(program as unknown as Node, undefined, false, (node, parent, inType) => {
    const target = importTarget(node)
    if (target !== undefined) source.imports.push({ what: target.replace(/\?.*$/, ''), line: lineOf(node) })
    const power = inType ? undefined : powerOf(node, parent)
    if (power !== undefined) source.powers.push({ what: power, line: lineOf(node) })
  })
  source.onlyHandsOn = handsOn((program as unknown as Node).body as Node[])
  return source
}

type Look = (node: Node, parent: Node | undefined, inType: boolean) => void

function visit(node: Node, parent: Node | undefined, inType: boolean, look: Look): void {
  look(node, parent, inType)
  const typeBelow = inType || isType(node)
  for (const [field, value] of Object.entries(node)) {
    if (isName(node, field)) continue
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, node, typeBelow, look)
  }
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value

/** Syntax that disappears when types are removed; wrappers that contain an expression are not included. */
const isType = (node: Node) => /^TS(?!As|Satisfies|NonNull|Instantiation|Enum|Module|Export|Parameter|TypeAssertion)/.test(node.type)

/** A field that contains a name, not a reference: `x.fetch`, `{ fetch: ... }`, `import { fetch }`. */
function isName(node: Node, field: string): boolean {
  if (field === 'property') return node.computed === false
  if (field === 'key') return node.computed !== true
  return /^(Import|Export)\w*Specifier$/.test(node.type)
}

function importTarget(node: Node): string | undefined {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return textOf(node.source ?? node.argument)
    case 'TSExternalModuleReference':
      return textOf(node.expression)
    case 'CallExpression':
      return isNamed(node.callee, 'require') ? textOf(first(node.arguments)) : undefined
    case 'NewExpression':
      return isNamed(node.callee, 'URL') ? relative(textOf(first(node.arguments))) : undefined
    default:
      return undefined
  }
}

const first = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined)
const isNamed = (node: unknown, name: string) => isNode(node) && node.type === 'Identifier' && node.name === name
/** `new URL('./worker.ts', import.meta.url)` refers to a module only if it is relative and has a module's extension. */
const relative = (text: string | undefined) => (text !== undefined && /^\.\.?\/.*\.[cm]?[jt]sx?$/.test(text) ? text : undefined)

function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'TSLiteralType') return textOf(node.literal)
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

function powerOf(node: Node, parent: Node | undefined): Power | undefined {
  if (node.type === 'MemberExpression') return members[`${nameOf(node.object)}.${nameOf(node.property)}`]
  if (node.type !== 'Identifier' || typeof node.name !== 'string') return undefined
  if (node.name === 'Date') return isPureDate(node, parent) ? undefined : 'time'
  return Object.hasOwn(globals, node.name) ? globals[node.name] : undefined
}

function isPureDate(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'NewExpression') return parent.callee === node && Array.isArray(parent.arguments) && parent.arguments.length > 0
  if (parent?.type === 'MemberExpression') return pureDate.has(nameOf(parent.property))
  return parent?.type === 'BinaryExpression' && parent.operator === 'instanceof'
}

const nameOf = (node: unknown): string => (isNode(node) && typeof node.name === 'string' ? node.name : (textOf(node) ?? ''))

function handsOn(body: Node[]): boolean {
  const reexports = body.filter((node) => /^Export(Named|All)Declaration$/.test(node.type) && isNode(node.source))
  return reexports.length > 0 && body.every((node) => node.type === 'ImportDeclaration' || reexports.includes(node))
}
