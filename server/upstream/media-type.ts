/** What a file is, by its first bytes: neither its name nor what a server says of it is believed. Pure. */

/** Kinds that are fetched for an upstream, and how they begin. A space in a pattern is any byte. */
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

export type MediaType = (typeof beginnings)[number][0]

/** As many bytes as `mediaType` needs to see. */
export const beginningBytes = Math.max(...beginnings.map(([, start]) => start.length))

/** The kind of file that begins with these bytes, or undefined when it is none that is fetched. */
export function mediaType(start: Uint8Array): MediaType | undefined {
  const text = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, beginningBytes)).toString('latin1')
  return beginnings.find(([, pattern]) => fits(text, pattern))?.[0]
}

const fits = (text: string, pattern: string) =>
  text.length >= pattern.length && [...pattern].every((char, index) => char === ' ' || char === text[index])
