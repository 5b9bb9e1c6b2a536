/** The head of a request as its bytes, with nothing in it that could begin another one. */
import { malformed } from './http-fault.ts'

/** What a request begins with. */
export interface RequestLine {
  method: string
  /** Path and query, as `URL` writes them. */
  target: string
  /** As it belongs into `host`. */
  host: string
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Tab, printable ASCII, and bytes above it. */
const value = /^[\t\x20-\x7e\x80-\xff]*$/
const target = /^\/[\x21-\x7e]*$/

/** Headers that frame the message or belong to the connection: the client itself says them, nobody else. */
const ownHeaders = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'])

/** A head that can be sent. */
export interface RequestHead {
  /** Each character a byte, the empty line included. */
  text: string
  /** Bytes of the body, as the head says. */
  length: number
}

/**
 * The head of a request. `headers` in their order and case, but for those that are the client's own; `host` and `accept` are added where
 * they lack one. Throws HttpFault for what cannot be said in a header.
 */
export function requestHead(
  line: RequestLine,
  headers: Iterable<readonly [name: string, value: string]>,
  persistent: boolean,
): RequestHead {
  if (!target.test(line.target)) throw malformed('The address of the request cannot be written into it.')
  let host = line.host
  let accept = '*/*'
  let length: number | undefined
  let fields = ''
  for (const [name, text] of headers) {
    if (!token.test(name) || !value.test(text)) throw malformed('A header of the request cannot be written.')
    const known = name.toLowerCase()
    if (known === 'host') host = text
    else if (known === 'accept') accept = text
    else if (known === 'content-length') {
      if (length !== undefined || !/^\d{1,15}$/.test(text)) throw malformed('The length of the request is not one number.')
      length = Number(text)
    } else if (!ownHeaders.has(known)) fields += `${name}: ${text}\r\n`
  }
  if (length !== undefined || line.method === 'POST') fields += `content-length: ${length ?? 0}\r\n`
  const connection = persistent ? 'keep-alive' : 'close'
  const text = `${line.method} ${line.target} HTTP/1.1\r\nhost: ${host}\r\naccept: ${accept}\r\n${fields}connection: ${connection}\r\n\r\n`
  return { text, length: length ?? 0 }
}
