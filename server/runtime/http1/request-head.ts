/** Writes request heads, safe against request smuggling. */
import { malformed } from './http-fault.ts'

/** The request line. */
export interface RequestLine {
  method: string
  /** Path and query, as `URL` writes them. */
  target: string
  /** The value for `host`. */
  host: string
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Tab, printable ASCII, and bytes above it. */
const value = /^[\t\x20-\x7e\x80-\xff]*$/
const target = /^\/[\x21-\x7e]*$/

/** Headers that frame the message or belong to the connection: only the client itself sets them. */
const ownHeaders = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'])

/** Headers that differ from request to request. */
const changingHeaders = new Set(['traceparent', 'tracestate'])

/** How a header is treated. */
type Kind = 'sent' | 'changing' | 'own' | 'host' | 'accept' | 'content-length'

/** Names are few and repeat with every request. */
const kinds = new Map<string, Kind>()
const mostKinds = 1000

function kindOf(name: string): Kind {
  const known = kinds.get(name)
  if (known !== undefined) return known
  if (!token.test(name)) throw malformed('A header of the request cannot be written.')
  const lower = name.toLowerCase()
  const isSpecial = lower === 'host' || lower === 'accept' || lower === 'content-length'
  const kind = isSpecial ? lower : ownHeaders.has(lower) ? 'own' : changingHeaders.has(lower) ? 'changing' : 'sent'
  if (kinds.size >= mostKinds) kinds.clear()
  kinds.set(name, kind)
  return kind
}

/** A head that can be sent. */
export interface RequestHead {
  /** One character per byte, including the empty line. */
  text: string
  /** The declared length of the body in bytes. */
  length: number
}

/** Headers as the caller gives them. */
type Given = Iterable<readonly [name: string, value: string]>

/**
 * Writes the heads of requests with this line. `headers` are written in their order and case, trace headers last, without those that only
 * the client sets; `host` and `accept` are added if missing, and `connection` if it stays open. Throws HttpFault for an invalid header.
 *
 * Requests to one address nearly always have the same headers except for their trace: the last head is cached, so it is only checked once.
 */
export function requestHeads(line: RequestLine, persistent: boolean): (headers: Given) => RequestHead {
  if (!target.test(line.target)) throw malformed('The URL of the request is invalid.')
  let last: { names: string[]; values: string[]; text: string } | undefined

  function isLast(names: readonly string[], values: readonly string[]): boolean {
    if (last === undefined || last.names.length !== names.length) return false
    for (let at = 0; at < names.length; at++) if (names[at] !== last.names[at] || values[at] !== last.values[at]) return false
    return true
  }

  return (headers) => {
    const names: string[] = []
    const values: string[] = []
    let length: number | undefined
    let changing = ''
    for (const [name, text] of headers) {
      const kind = kindOf(name)
      if (kind === 'content-length') {
        if (length !== undefined || !/^\d{1,15}$/.test(text)) throw malformed('The length of the request is not a single number.')
        length = Number(text)
      } else if (kind === 'changing') changing += field(name, text)
      else {
        names.push(name)
        values.push(text)
      }
    }
    if (last === undefined || !isLast(names, values)) last = { names, values, text: written(line, names, values, persistent) }
    const framing =
      length !== undefined || line.method === 'POST' || line.method === 'PATCH' ? `content-length: ${length ?? 0}\r\n\r\n` : '\r\n'
    return { text: last.text + changing + framing, length: length ?? 0 }
  }
}

/** Everything but the framing headers. */
function written(line: RequestLine, names: readonly string[], values: readonly string[], persistent: boolean): string {
  let host = line.host
  let accept = '*/*'
  let fields = ''
  for (const [at, name] of names.entries()) {
    const text = values[at] ?? ''
    const whole = field(name, text)
    const kind = kindOf(name)
    if (kind === 'sent') fields += whole
    else if (kind === 'host') host = text
    else if (kind === 'accept') accept = text
  }
  if (persistent) fields += 'connection: keep-alive\r\n'
  return `${line.method} ${line.target} HTTP/1.1\r\nhost: ${host}\r\naccept: ${accept}\r\n${fields}`
}

function field(name: string, text: string): string {
  if (!value.test(text)) throw malformed('A header of the request cannot be written.')
  return `${name}: ${text}\r\n`
}
