/** Strings with one character per byte: slicing and joining them preserves every byte, valid UTF-8 or not. */

/** Bytes as such a string. */
export const bytewise = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

/** Ordinary text as such a string of its UTF-8 bytes. */
export const encoded = (text: string): string => bytewise(Buffer.from(text))

/** The bytes of such a string. */
export const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** Such a string decoded as UTF-8; undefined if it is invalid, or contains the replacement character. */
export function decoded(text: string): string | undefined {
  const meant = Buffer.from(text, 'latin1').toString('utf8')
  return meant.includes('\ufffd') ? undefined : meant
}
