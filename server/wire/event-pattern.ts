/**
 * Patterns of server-sent events that only differ in one string of their JSON, as most of a stream do: once one of them was parsed, that
 * string of the others is found by the text around it. A sequence number and random padding may differ, too. All texts here are bytewise
 * (`bytewise.ts`).
 */
import type { Frame } from '#shared/sse'
import { bytewise, decoded, encoded } from './bytewise.ts'
import { type Edit, splice } from './splice.ts'

/** What may differ: the string, a sequence number, random letters that hide the string's length. */
type Kind = 'string' | 'number' | 'letters'

interface Hole {
  kind: Kind
  start: number
  end: number
}

/** One line of data, optionally with an event name. */
const oneLine = /^((?:event: [^\r\n]*\r?\n)?data: ?)[^\r\n]*\r?\n\r?\n$/
const meaningless = /"(?:obfuscation":"([\w+/=-]*)"|sequence_number":(\d+)[,}])/g
const letters = /^[\w+/=-]*$/
const number = /^(?:0|[1-9]\d{0,14})$/
/** Needs no unescaping, and each of its characters is one byte. */
const plain = /^[ !#-[\]-\u007f]+$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none in a string.
const unescapable = /["\\\u0000-\u001f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: likewise.
const control = /[\u0000-\u001f]/

/** A backslash with an escape that JSON.stringify writes in another way, or not at all (or one that is itself escaped). */
const unusualEscape = /\\[^"\\bfnrt]/

/** The pattern of events like one; `match` stores what it found in the fields. */
export class EventPattern {
  /** The last string that was found. */
  text = ''
  /** Its length in UTF-8. */
  bytes = 0
  /** Its JSON spelling without quotes, bytewise, as `JSON.stringify` writes it. */
  json = ''
  /** The sequence number; undefined: the events have none. */
  number: number | undefined
  /** The event with the learned edits; undefined: there are none. */
  edited: string | undefined
  readonly #kinds: readonly Kind[]
  readonly #before: readonly string[]
  /** The text before the only hole; undefined: there are more. */
  readonly #start: string | undefined
  readonly #end: string
  /** The edited text around the holes: one piece more than there are holes. */
  readonly #around: readonly string[] | undefined

  constructor(event: string, holes: readonly Hole[], around?: readonly string[]) {
    this.#kinds = holes.map(({ kind }) => kind)
    this.#before = holes.map(({ start }, at) => event.slice(holes[at - 1]?.end ?? 0, start))
    this.#start = holes.length === 1 ? this.#before[0] : undefined
    this.#end = event.slice(holes.at(-1)?.end ?? 0)
    this.#around = around
  }

  /** The end of the event that begins at `from`; -1 if it does not match, or its string is empty. */
  match(text: string, from: number): number {
    return this.#start === undefined ? this.#matchAll(text, from) : this.#matchOnly(text, from, this.#start)
  }

  /** The same if only the string differs. */
  #matchOnly(text: string, from: number, start: string): number {
    if (!text.startsWith(start, from)) return -1
    const begin = from + start.length
    const end = closingQuote(text, begin)
    if (end < 0 || !text.startsWith(this.#end, end)) return -1
    const found = text.slice(begin, end)
    if (!this.#read(found)) return -1
    if (this.#around) this.edited = `${this.#around[0]}${found}${this.#around[1]}`
    return end + this.#end.length
  }

  #matchAll(text: string, from: number): number {
    let at = from
    let start = 0
    let stop = 0
    let edited = ''
    for (let hole = 0; hole < this.#kinds.length; hole++) {
      const before = this.#before[hole] ?? ''
      if (!text.startsWith(before, at)) return -1
      const kind = this.#kinds[hole]
      const begin = at + before.length
      at = kind === 'number' ? endOfNumber(text, begin) : closingQuote(text, begin)
      if (at < 0 || (kind === 'letters' && !letters.test(text.slice(begin, at)))) return -1
      if (kind === 'string') {
        start = begin
        stop = at
      }
      if (kind === 'number') this.number = Number(text.slice(begin, at))
      if (this.#around) edited += this.#around[hole] + text.slice(begin, at)
    }
    if (!text.startsWith(this.#end, at) || !this.#read(text.slice(start, stop))) return -1
    if (this.#around) this.edited = edited + this.#around[this.#kinds.length]
    return at + this.#end.length
  }

  #read(json: string): boolean {
    if (!plain.test(json)) return this.#readOdd(json)
    this.text = this.json = json
    this.bytes = json.length
    return true
  }

  /** Normalises escapes that can be written differently. */
  #readOdd(json: string): boolean {
    const text = json === '' || control.test(json) ? undefined : decoded(json)
    const meant = text === undefined || !json.includes('\\') ? text : unescaped(text)
    if (meant === undefined) return false
    this.text = meant
    this.json = unusualEscape.test(json) ? encoded(JSON.stringify(meant).slice(1, -1)) : json
    this.bytes = meant === text ? json.length : Buffer.byteLength(meant)
    return true
  }
}

/**
 * The pattern of events like `frame`, which contains `string`; `read` extracts it from their JSON, and `edits` are applied to each.
 * Undefined if the string is empty, escaped or not unique, or the event is not one line.
 */
export function eventPattern(
  frame: Frame,
  string: string,
  read: (json: string) => string | undefined,
  edits: readonly Edit[] = [],
): EventPattern | undefined {
  const event = bytewise(frame.raw)
  const head = oneLine.exec(event)?.[1]
  if (head === undefined || string === '' || unescapable.test(string)) return undefined
  const literal = `"${encoded(string)}"`
  const at = event.indexOf(literal)
  if (at < 0 || event.indexOf(literal, at + 1) >= 0) return undefined
  const found: Hole = { kind: 'string', start: at + 1, end: at + literal.length - 1 }
  const holes = [found, ...meaninglessIn(event)].sort((one, other) => one.start - other.start)
  // The same text may be a name, or belong to another field, and a seemingly meaningless field may matter.
  const changed = decoded(otherwise(event, holes).slice(head.length))?.trimEnd()
  if (changed === undefined || read(changed) !== `${string}+`) return undefined
  return edits.length === 0 ? new EventPattern(event, holes) : editedPattern(event, holes, edits)
}

/** Undefined if an edit overlaps a hole. */
function editedPattern(event: string, holes: readonly Hole[], edits: readonly Edit[]): EventPattern | undefined {
  const around: string[] = []
  let made = 0
  for (let at = 0; at <= holes.length; at++) {
    const [from, till] = [holes[at - 1]?.end ?? 0, holes[at]?.start ?? event.length]
    const inside = edits.filter(({ start, end }) => start >= from && end <= till)
    made += inside.length
    around.push(
      splice(
        event.slice(from, till),
        inside.map(({ start, end, text }) => ({ start: start - from, end: end - from, text })),
      ),
    )
  }
  return made === edits.length ? new EventPattern(event, holes, around) : undefined
}

const meaninglessIn = (event: string): Hole[] =>
  [...event.matchAll(meaningless)].map(({ index, 0: all, 1: filling, 2: count = '' }) => {
    const end = index + all.length - 1
    return { kind: filling === undefined ? 'number' : 'letters', start: end - (filling ?? count).length, end }
  })

/** The event with different content in every hole. */
function otherwise(event: string, holes: readonly Hole[]): string {
  let all = ''
  let from = 0
  for (const { kind, start, end } of holes) {
    all += event.slice(from, start) + (kind === 'number' ? `1${event.slice(start, end)}` : `${event.slice(start, end)}+`)
    from = end
  }
  return all + event.slice(from)
}

/** The position of a string's closing quote; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (at - slashes > from && text.charCodeAt(at - slashes - 1) === 0x5c) slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}

function endOfNumber(text: string, from: number): number {
  let end = from
  while (text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end++
  return number.test(text.slice(from, end)) ? end : -1
}

function unescaped(json: string): string | undefined {
  try {
    return JSON.parse(`"${json}"`) as string
  } catch {
    return undefined
  }
}
