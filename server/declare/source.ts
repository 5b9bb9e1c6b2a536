/**
 * Parses the YAML text to plain values, with the line and column of everything in it. The schema is used only to find the decimal
 * scalars, because those are taken from their text and never pass through a float.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml'
import type { TSchema } from '#shared/typebox'
import { childSchema, isDecimal } from './decimals.ts'
import type { Place, Problem } from './problem.ts'
import { type Environment, readDecimal, readScalar, storable } from './scalar.ts'

/** Names and indexes from the root. */
export type Path = readonly (string | number)[]

/** The parsed file. */
export interface Source {
  value: unknown
  problems: Problem[]
  /** The position of the value at a path, or of its nearest existing parent. */
  placeOf(path: Path): Place
  /** The position of the field's name. */
  placeOfName(path: Path): Place
}

/** Far above any real file; an alias that multiplies or contains itself reaches one of the limits quickly. */
const maxNodes = 500_000
const maxDepth = 64
const tooLarge = 'The file is nested too deeply, too large, or refers to itself'

/** Replacements for unhelpful messages of the parser. */
const words = new Map<string, string>([
  ['BAD_DIRECTIVE', 'This directive is not supported'],
  ['DUPLICATE_KEY', 'Duplicate name'],
  ['MULTIPLE_DOCS', 'The file holds more than one document'],
  ['NON_STRING_KEY', 'A name must be text'],
  ['TAG_RESOLVE_FAILED', 'Tags are not supported here'],
])

/** Offsets of names and values, by path. */
interface Offsets {
  values: Map<string, number>
  names: Map<string, number>
}

/** Parses the text; problems are collected in the result, not thrown. */
export function readSource(text: string, schema: TSchema, env: Environment): Source {
  const lines = new LineCounter()
  const problems: Problem[] = []
  const offsets: Offsets = { values: new Map(), names: new Map() }

  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  const complain = (offset: number, message: string): undefined => {
    problems.push({ ...placeAt(offset), message })
  }

  const document = parse(text, lines, complain)
  const value = document && readNodes(document, schema, offsets, { text, env, complain })

  const nearest = (exact: ReadonlyMap<string, number>, path: Path): Place => {
    const around = path.map((_, gone) => offsets.values.get(keyOf(path.slice(0, path.length - gone))))
    return placeAt(exact.get(keyOf(path)) ?? around.find((offset) => offset !== undefined) ?? offsets.values.get(keyOf([])) ?? 0)
  }
  return { value, problems, placeOf: (path) => nearest(offsets.values, path), placeOfName: (path) => nearest(offsets.names, path) }
}

/** Undefined when the text is not YAML; at most one problem per line, since the parser continues after an error and reports follow-ups. */
function parse(text: string, lineCounter: LineCounter, complain: (offset: number, message: string) => void): Document | undefined {
  const options = { version: '1.2', schema: 'core', strict: true, uniqueKeys: true, stringKeys: true, prettyErrors: false } as const
  try {
    const document = parseDocument(text, { ...options, logLevel: 'error', lineCounter })
    const seen = new Set<number>()
    const stumbles = [...document.errors, ...document.warnings]
    for (const { pos, code, message } of stumbles) {
      const { line } = lineCounter.linePos(pos[0])
      // After a colon, quote or backslash these messages quote the file, which may contain a secret.
      if (!seen.has(line)) complain(pos[0], words.get(code) ?? message.replace(/\s*[:"\\].*/s, ''))
      seen.add(line)
    }
    return stumbles.length === 0 ? document : undefined
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    complain(0, tooLarge)
    return undefined
  }
}

interface ReadContext {
  text: string
  env: Environment
  complain(offset: number, message: string): undefined
}

function readNodes(document: Document, schema: TSchema, { values, names }: Offsets, context: ReadContext): unknown {
  const { complain } = context
  const anchors = new Map<string, Node>()
  let nodes = 0

  /** `expanding`: inside an alias, where anchors were already visited. */
  function read(node: Node | null, schema: TSchema | undefined, path: Path, expanding: boolean): unknown {
    const start = node?.range?.[0] ?? 0
    const key = keyOf(path)
    if (!values.has(key)) values.set(key, start)
    if (++nodes > maxNodes || path.length > maxDepth) {
      // Reported once: everything after it is skipped.
      if (nodes < Number.MAX_SAFE_INTEGER) complain(start, tooLarge)
      nodes = Number.MAX_SAFE_INTEGER
      return undefined
    }
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      return target ? read(target, schema, path, true) : complain(start, 'No anchor with this name was defined before')
    }
    if (node?.tag) return complain(start, 'Tags are not supported here')
    if (node && 'anchor' in node && node.anchor && !expanding) anchors.set(node.anchor, node)
    if (isMap<Node, Node | null>(node)) return readMap(node.items, schema, path, expanding)
    if (isSeq<Node | null>(node)) return node.items.map((item, at) => read(item, childSchema(schema, at), [...path, at], expanding))
    if (!isScalar(node)) return null
    return isDecimal(schema) ? readDecimal(node, context) : readScalar(node, context)
  }

  function readMap(pairs: Pair<Node, Node | null>[], schema: TSchema | undefined, path: Path, expanding: boolean): unknown {
    const fields: [string, unknown][] = []
    for (const { key, value } of pairs) {
      const start = key.range?.[0] ?? 0
      const name = isScalar(key) ? key.value : undefined
      if (typeof name !== 'string' || name === '__proto__' || !storable(name)) complain(start, 'This name is not allowed')
      else {
        const inner = [...path, name]
        names.set(keyOf(inner), start)
        if (value === null) values.set(keyOf(inner), start)
        fields.push([name, read(value, childSchema(schema, name), inner, expanding)])
      }
    }
    return Object.fromEntries(fields)
  }

  return read(document.contents as Node | null, schema, [], false)
}

const keyOf = (path: Path): string => JSON.stringify(path.map(String))
