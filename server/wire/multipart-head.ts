/** Parses the headers of one part of a form: its name, and whether it is a file. */
import { GatewayError } from '#shared/errors'

/** The parsed headers of a part. */
export interface PartHead {
  name: string
  /** Set for files only; may be empty. */
  filename?: string
  /** As sent; `application/octet-stream` for a file without one. */
  type?: string
}

const bad = (what: string) => new GatewayError('invalid_request', `The form cannot be read: ${what}.`)

const strict = { fatal: true }
const utf8 = new TextDecoder('utf-8', strict)

const notText = (param?: string) =>
  new GatewayError('invalid_value', 'A text field of the form is not valid UTF-8.', param === undefined ? {} : { param })

/**
 * Decodes a text field as it arrives; called without bytes at its end. Throws GatewayError when they are not UTF-8; `param` is the field.
 */
export function formDecoder(param: string): (bytes?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', strict)
  return (bytes) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw notText(param)
    }
  }
}

/** Decodes bytes of a form, likewise. */
export function formText(bytes: Uint8Array, param?: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw notText(param)
  }
}

/** Parses the header lines of a part, including folded ones. Throws GatewayError 400. */
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
  // A bare CR or a NUL would be copied into the form written for an upstream.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is searched for
  if (colon < 1 || /[\0-\x08\x0a-\x1f\x7f]/.test(line)) throw bad('a part has a malformed header')
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
}

/** Header parameters, quoted or not. A backslash escapes only a quote or itself: old browsers send Windows paths unescaped. */
function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, token = ''] of header.matchAll(
    /;\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:\\["\\]|[^"])*)"|([^;"\s]*))/g,
  )) {
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? token)
  }
  return parameters
}

/** Decodes `UTF-8''na%C3%AFve.mp3` (RFC 8187); undefined when absent or otherwise encoded, so that the plain parameter is used. */
function extended(value: string | undefined): string | undefined {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1]
  if (encoded === undefined) return undefined
  try {
    // Decoding may produce characters that a header must not contain.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
    return decodeURIComponent(encoded).replace(/[\0-\x1f\x7f]/g, '')
  } catch {
    return undefined
  }
}

/** The boundary in a form's content type. Throws GatewayError 400 when there is no valid one. */
export function boundaryOf(contentType: string): string {
  const boundary = parametersOf(contentType).get('boundary') ?? ''
  if (boundary === '' || boundary.length > 200 || /[^\x20-\x7e]/.test(boundary)) throw bad('its content type names no boundary')
  return boundary
}
