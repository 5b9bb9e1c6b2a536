/**
 * The head of an answer (RFC 9112). Strict where readers could differ: lines end with CR LF, folding is refused, and so is a length that is
 * given twice or together with a transfer coding.
 */
import type { AnswerHeaders } from '#runtime/contract/http-client'
import { HttpFault, malformed } from './http-fault.ts'

/** How the end of the body is determined. */
export type Framing = 'none' | 'length' | 'chunked' | 'close'

/** An answer's parsed status line and headers. */
export interface AnswerHead {
  status: number
  headers: AnswerHeaders
  framing: Framing
  /** Bytes of the body if `framing` is `length`. */
  length: number
  /** Whether the connection can be reused, according to the head. */
  persistent: boolean
  /** Seconds for which the other side keeps an idle connection, if it says. */
  keptSeconds: number | undefined
}

/** Maximum bytes and number of headers of a head. */
export const mostHeadBytes = 64 * 1024
const mostHeaders = 256

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Bytes that a head must not contain, and line ends that are not CR LF. */
const forbidden = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/

/** Headers as they were received, their names in lower case. */
class ReceivedHeaders implements AnswerHeaders {
  readonly #names: string[] = []
  readonly #values: string[] = []

  add(name: string, value: string): void {
    if (this.#names.length >= mostHeaders) throw new HttpFault('HTTP_TOO_LARGE', 'The answer has too many headers.')
    this.#names.push(name)
    this.#values.push(value)
  }

  get(name: string): string | null {
    const first = this.#names.indexOf(name)
    if (first < 0) return null
    let value = this.#values[first] ?? ''
    for (let at = this.#names.indexOf(name, first + 1); at >= 0; at = this.#names.indexOf(name, at + 1)) value += `, ${this.#values[at]}`
    return value
  }

  has(name: string): boolean {
    return this.#names.includes(name)
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const [at, name] of this.#names.entries()) yield [name, this.#values[at] ?? '']
  }
}

/** Reads a head. `text`: its bytes as Latin-1, with the line end of the last header, without the empty line. Throws HttpFault. */
export function readAnswerHead(text: string): AnswerHead {
  if (forbidden.test(text)) throw malformed('The head of the answer contains bytes that no head may contain.')
  const lineEnd = text.indexOf('\r\n')
  const line = statusLine.exec(text.slice(0, lineEnd))
  if (line === null) throw malformed('The answer does not begin with a status line.')
  const status = Number(line[2])
  const headers = readHeaders(text, lineEnd + 2)
  const isOld = line[1] === '0'
  const { framing, length } = framingOf(status, headers, isOld)
  const persistent = !isOld && framing !== 'close' && !listOf(headers.get('connection')).includes('close')
  return { status, headers, framing, length, persistent, keptSeconds: keptSecondsOf(headers) }
}

function readHeaders(text: string, from: number): AnswerHeaders {
  const headers = new ReceivedHeaders()
  for (let at = from; at < text.length; ) {
    const end = text.indexOf('\r\n', at)
    const colon = text.indexOf(':', at)
    if (colon < 0 || colon > end) throw malformed('A header of the answer is invalid.')
    headers.add(nameOf(text.slice(at, colon)), text.slice(colon + 1, end).trim())
    at = end + 2
  }
  return headers
}

/** Names are few and repeat with every answer: each is checked and lowercased once. */
const names = new Map<string, string>()
const mostNames = 2000
const longestName = 64

function nameOf(written: string): string {
  const known = names.get(written)
  if (known !== undefined) return known
  // A folded line begins with a space, which is not allowed in a name.
  if (!token.test(written)) throw malformed('A header of the answer is invalid.')
  const name = written.toLowerCase()
  if (names.size >= mostNames) names.clear()
  // Copied, because a slice would keep the whole head in memory.
  if (name.length <= longestName) names.set(copyOf(written), copyOf(name))
  return name
}

const copyOf = (text: string) => Buffer.from(text, 'latin1').toString('latin1')

function framingOf(status: number, headers: AnswerHeaders, isOld: boolean): { framing: Framing; length: number } {
  const coding = headers.get('transfer-encoding')
  const lengthText = headers.get('content-length')
  if (coding !== null) {
    if (lengthText !== null || isOld) throw malformed('The answer has ambiguous framing.')
    if (coding.toLowerCase() !== 'chunked') throw malformed('The answer has a transfer coding that was not requested.')
  }
  const length = lengthText === null ? 0 : lengthOf(lengthText)
  if (status < 200 || status === 204 || status === 304) return { framing: 'none', length: 0 }
  if (coding !== null) return { framing: 'chunked', length: 0 }
  if (lengthText === null) return { framing: 'close', length: 0 }
  return { framing: length === 0 ? 'none' : 'length', length }
}

function lengthOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw malformed('The length of the answer is not a single number.')
  return Number(text)
}

function keptSecondsOf(headers: AnswerHeaders): number | undefined {
  const text = headers.get('keep-alive')
  const seconds = text === null ? undefined : /(?:^|[,;\s])timeout=(\d{1,6})/i.exec(text)?.[1]
  return seconds === undefined ? undefined : Number(seconds)
}

const noWords: readonly string[] = []
const listOf = (value: string | null) => value?.toLowerCase().split(/[ \t]*,[ \t]*/) ?? noWords
