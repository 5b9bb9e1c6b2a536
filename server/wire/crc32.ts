/** CRC-32 as gzip has it (polynomial 0xEDB88320). */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

/** The checksum as an unsigned number; `seed` is that of the bytes before, so that a text may come in pieces. */
export function crc32(bytes: Uint8Array, seed = 0): number {
  let value = ~seed
  for (const byte of bytes) value = (table[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)
  return ~value >>> 0
}
