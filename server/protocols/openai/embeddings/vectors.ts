/** A vector as OpenAI writes it: a list of numbers, or their 32 bits each, lowest byte first, in base64. */
import type { Vector, VectorFormat } from '#canonical/operation/embedding'

/** Undefined unless it is a vector. */
export function readVector(value: unknown): Vector | undefined {
  if (typeof value === 'string') return decoded(value)
  const isVector = Array.isArray(value) && value.length > 0 && value.every((number) => Number.isFinite(number))
  return isVector ? value : undefined
}

/** The vector in the requested format. */
export function writeVector(vector: Vector, format: VectorFormat): string | Vector {
  if (format === 'float') return vector
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * 4)
  return bytes.toString('base64')
}

/** Is the vector written as this format has it? */
export const isWrittenAs = (value: unknown, format: VectorFormat): boolean => (typeof value === 'string') === (format === 'base64')

function decoded(text: string): Vector | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'base64')
  if (bytes.byteLength === 0 || bytes.byteLength % 4 !== 0) return undefined
  const vector = Array.from({ length: bytes.byteLength / 4 }, (_, index) => bytes.readFloatLE(index * 4))
  return vector.every((number) => Number.isFinite(number)) ? vector : undefined
}
