/** Text whose characters are bytes: what is cut out of it and put together again is the same bytes, whatever they mean. */

/** Bytes as such a text. */
export const bytewise = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

/** Ordinary text as the text of its bytes in UTF-8. */
export const encoded = (text: string): string => bytewise(Buffer.from(text))

/** Such a text as its bytes. */
export const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** What it means as UTF-8; undefined where it is not valid, or holds the mark of what was not. */
export function decoded(text: string): string | undefined {
  const meant = Buffer.from(text, 'latin1').toString('utf8')
  return meant.includes('\ufffd') ? undefined : meant
}
