/** The head of one part of a form: its name, and whether it is a file. */
import { GatewayError } from '#shared/errors'

export interface PartHead {
  name: string
  /** Only files have one; it may be empty. */
  filename?: string
  /** As it was sent; a file without one is `application/octet-stream`. */
  type?: string
}

const bad = (what: string) => new GatewayError('invalid_request', `The form cannot be read: ${what}.`)

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Bytes of a form as text. Throws GatewayError when they are not UTF-8; `param` is the field. */
export function formText(bytes: Uint8Array, param?: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new GatewayError('invalid_value', 'A text field of the form is not valid UTF-8.', param === undefined ? {} : { param })
  }
}

/** Reads the header lines of a part, folded ones included. Throws GatewayError 400. */
export function readPartHead(bytes: Uint8Array): PartHead {
  const lines = formText(bytes)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = new Map(lines.filter((line) => line !== '').map(nameAndValue))
  const disposition = headers.get('content-disposition') ?? ''
  if (!/^form-data\s*(;|$)/i.test(disposition)) throw bad('a part has no Content-Disposition: form-data')
  if (/base64|quoted-printable/i.test(headers.get('content-transfer-encoding') ?? '')) {
    throw bad('a part has a Content-Transfer-Encoding; send its bytes as they are')
  }
  const parameters = parametersOf(disposition)
  const name = parameters.get('name')
  if (!name) throw bad('a part has no name')
  const filename = extended(parameters.get('filename*')) ?? parameters.get('filename')
  if (filename === undefined) return { name }
  return { name, filename, type: headers.get('content-type') || 'application/octet-stream' }
}

function nameAndValue(line: string): [string, string] {
  const colon = line.indexOf(':')
  // A bare CR or a NUL would travel on into the form that is written for an upstream.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (colon < 1 || /[\0-\x08\x0a-\x1f\x7f]/.test(line)) throw bad('a part has a malformed header')
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
}

/** Values quoted or not. A backslash escapes only a quote or itself: old browsers send paths of Windows unescaped. */
function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, token = ''] of header.matchAll(
    /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:\\["\\]|[^"])*)"|([^;"\s]*))/g,
  )) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? token)
  }
  return parameters
}

/** `UTF-8''na%C3%AFve.mp3` (RFC 8187); undefined when it is absent or of another kind, so that the plain one counts. */
function extended(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1]
  if (encoded === undefined) return undefined
  try {
    // Decoding may bring back what a header must not hold.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    return decodeURIComponent(encoded).replace(/[\0-\x1f\x7f]/g, '')
  } catch {
    return undefined
  }
}

/** The boundary of a form's content type. Throws GatewayError 400 when there is none that a form may have. */
export function boundaryOf(contentType: string): string {
  const boundary = parametersOf(contentType).get('boundary') ?? ''
  if (boundary === '' || boundary.length > 200 || /[^\x20-\x7e]/.test(boundary)) throw bad('its content type names no boundary')
  return boundary
}
