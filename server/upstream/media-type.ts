/** Detects a file's type by its first bytes; names and Content-Type are not trusted. Pure. */

/** Supported types and their first bytes. A space in a pattern matches any byte. */
const beginnings = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/webp', 'RIFF    WEBP'],
  ['application/pdf', '%PDF-'],
  ['audio/wav', 'RIFF    WAVE'],
  ['audio/mpeg', 'ID3'],
  // Frames of MPEG layer III, with and without a checksum.
  ['audio/mpeg', '\xff\xfb'],
  ['audio/mpeg', '\xff\xfa'],
  ['audio/mpeg', '\xff\xf3'],
  ['audio/mpeg', '\xff\xf2'],
] as const

/** A supported MIME type. */
export type MediaType = (typeof beginnings)[number][0]

/** The number of bytes `mediaType` needs. */
export const beginningBytes = Math.max(...beginnings.map(([, start]) => start.length))

/** The type of a file that begins with these bytes, or undefined when it is not supported. */
export function mediaType(start: Uint8Array): MediaType | undefined {
  const text = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, beginningBytes)).toString('latin1')
  return beginnings.find(([, pattern]) => fits(text, pattern))?.[0]
}

const fits = (text: string, pattern: string) =>
  text.length >= pattern.length && [...pattern].every((char, index) => char === ' ' || char === text[index])
