/** Embeddings of the demo: texts with common words are close to each other, and the same text always has the same vector. */
import type { Fields } from './chat-rules.ts'
import type { JsonResult, Refusal } from './refusal.ts'

const usualDimensions = 256
const mostDimensions = 2048

const fault = (message: string, param: string): Refusal => ({ status: 400, message, param, code: null })

/** Answers `/v1/embeddings`, or rejects what a real vendor would reject. */
export function embed(body: Fields): JsonResult {
  const inputs = inputsOf(body.input)
  if (inputs === undefined) return { refusal: fault('The input must be text, or a list of texts or of tokens.', 'input') }
  const dimensions = body.dimensions ?? usualDimensions
  if (typeof dimensions !== 'number' || !Number.isInteger(dimensions) || dimensions < 1 || dimensions > mostDimensions) {
    return { refusal: fault(`The dimensions must be an integer from 1 to ${mostDimensions}.`, 'dimensions') }
  }
  const tokens = inputs.reduce((sum, input) => sum + tokensOf(input), 0)
  const write = body.encoding_format === 'base64' ? base64 : (vector: Float32Array) => [...vector]
  const data = inputs.map((input, index) => ({ object: 'embedding', index, embedding: write(vectorOf(featuresOf(input), dimensions)) }))
  return { answer: { object: 'list', data, model: body.model, usage: { prompt_tokens: tokens, total_tokens: tokens } } }
}

type Input = string | number[]

function inputsOf(input: unknown): Input[] | undefined {
  if (isInput(input)) return [input]
  return Array.isArray(input) && input.length > 0 && input.every(isInput) ? input : undefined
}

const isInput = (input: unknown): input is Input =>
  typeof input === 'string' ? input !== '' : Array.isArray(input) && input.length > 0 && input.every((token) => Number.isInteger(token))

const tokensOf = (input: Input) => (typeof input === 'string' ? Math.ceil(Buffer.byteLength(input) / 4) : input.length)

/** What texts are compared by: words, and single characters in scripts without spaces. */
const featuresOf = (input: Input): string[] =>
  typeof input === 'string' ? [...(input.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? [input])] : input.map(String)

/** A unit vector: every feature adds or subtracts one in one dimension. */
function vectorOf(features: readonly string[], dimensions: number): Float32Array {
  const counts = new Array<number>(dimensions).fill(0)
  for (const feature of features) {
    const hash = hashOf(feature)
    const at = (hash >>> 1) % dimensions
    counts[at] = (counts[at] ?? 0) + (hash & 1 ? 1 : -1)
  }
  const length = Math.hypot(...counts)
  // The features may cancel out, which would divide by zero.
  if (length === 0) return Float32Array.from(counts, (_, index) => (index === 0 ? 1 : 0))
  return Float32Array.from(counts, (count) => count / length)
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

function base64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, number] of vector.entries()) bytes.writeFloatLE(number, index * 4)
  return bytes.toString('base64')
}
