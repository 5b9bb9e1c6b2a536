/** Data URLs (RFC 2397): media inside a JSON body. */

export interface Embedded {
  /** Lower case, without parameters. */
  mimeType: string
  /** Base64. */
  data: string
}

/** The content of a data URL; undefined for any other URL. Parameters before `;base64` and the percent-encoded form are supported. */
export function readDataUrl(url: string): Embedded | undefined {
  if (!/^data:/i.test(url)) return undefined
  const comma = url.indexOf(',')
  if (comma === -1) return undefined
  const [type = '', ...parameters] = url.slice(5, comma).split(';')
  const mimeType = type.trim().toLowerCase() || 'text/plain'
  const content = url.slice(comma + 1)
  const isBase64 = parameters.at(-1)?.trim().toLowerCase() === 'base64'
  if (isBase64 && !content.includes('%')) return { mimeType, data: content }
  const bytes = percentDecoded(content)
  return { mimeType, data: isBase64 ? bytes.toString('latin1') : bytes.toString('base64') }
}

/** `data` is base64. */
export const writeDataUrl = (mimeType: string, data: string): string => `data:${mimeType};base64,${data}`

function percentDecoded(text: string): Buffer {
  const bytewise = Buffer.from(text).toString('latin1')
  return Buffer.from(
    bytewise.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )
}
