/** Strings with one character per byte: slicing and joining them preserves every byte, valid UTF-8 or not. */

/** Works on any bytes: to make a Buffer of them first takes twice as long as reading an event of them. */
const { latin1Slice } = Buffer.prototype as unknown as { latin1Slice(this: Uint8Array, start?: number, end?: number): string }

/** Bytes as such a string; those from `start` to `end`, or as many of them as there are. */
export const bytewise = (bytes: Uint8Array, start = 0, end = bytes.length): string =>
  latin1Slice.call(bytes, start, Math.min(end, bytes.length))

/** Ordinary text as such a string of its UTF-8 bytes. */
export const encoded = (text: string): string => bytewise(Buffer.from(text))

/** The bytes of such a string. */
export const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** Such a string decoded as UTF-8; undefined if it is invalid, or contains the replacement character. */
export function decoded(text: string): string | undefined {
  const meant = Buffer.from(text, 'latin1').toString('utf8')
  return meant.includes('\ufffd') ? undefined : meant
}
