/**
 * How many tokens a text is, counted with the encoding of OpenAI's present models. Others publish none, so their texts are
 * counted with it and taken times a factor. What splits a text and what makes a token comes from the tokenizer's package.
 */

import { O200K_TOKEN_SPLIT_REGEX as words } from 'gpt-tokenizer/encodingParams/constants'
import { type Gauge, roughly } from '#canonical/gauge'
import { readFromPackage } from '#runtime/package-file'
import { createEncoding, type Encoding } from './encoding.ts'
import { createSample } from './sample.ts'

/**
 * Percent, by the name of the model. Claude: 1.06 (its one published encoding) times 1.10 (what counts of the vendor's API add
 * to that); Gemini: 1.08 by counts of its API. Other makers stay within six percent of this encoding in Latin script.
 */
const factors: readonly [name: RegExp, percent: number][] = [
  [/claude/i, 117],
  [/gemini|gemma/i, 108],
]

let encoding: Encoding | undefined

/** Takes thirty milliseconds, in which nothing else is done: for before anybody is served. Throws when the package is not there. */
export function loadEncoding(): Encoding {
  encoding ??= createEncoding(readFromPackage('gpt-tokenizer/data/o200k_base.tiktoken'), words)
  return encoding
}

/** Tokens of texts, counted one by one; a word of many kilobytes takes long. Loads the encoding when that was not done before. */
export function countTokens(texts: readonly string[], model: string): number {
  const tokensOf = loadEncoding()
  const sum = texts.reduce((all, text) => all + tokensOf(text), 0)
  return Math.ceil((sum * factorOf(model)) / 100)
}

const factorOf = (model: string): number => factors.find(([name]) => name.test(model))?.[1] ?? 100

/** Tokens of `bytes` by a sample of them. A quarter where there is none. */
function scaled(bytes: number, sample: readonly string[], model: string): number {
  const sampled = sample.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return sampled === 0 ? Math.ceil(bytes / 4) : Math.ceil((bytes * countTokens(sample, model)) / sampled)
}

/** A request as far as its tokens go. */
export interface Sized {
  body: string
  bytes: number
  /** Files may be in it, as long words of base64. */
  hasFiles: boolean
}

/** Places of a body that are looked at, and characters of each. */
const places = 8
const placeChars = 512

const longWord = /[A-Za-z0-9+/=_-]{4096,}/g
/** Tokens that a file is taken for at most: what a picture is for Claude, and more than for most others. */
const fileTokens = 1600

/** Tokens of a request by its body: words by samples of it, files by themselves. */
export function tokensOfRequest({ body, bytes, hasFiles }: Sized, model: string): number {
  const files = hasFiles ? (body.match(longWord) ?? []) : []
  const words = files.length > 0 ? body.replace(longWord, '') : body
  const plain = unescaped(words)
  const extra = Buffer.byteLength(words) - Buffer.byteLength(plain)
  const wordBytes = files.reduce((left, one) => left - one.length, bytes - extra)
  const inFiles = files.reduce((sum, one) => sum + Math.min(fileTokens, Math.ceil(one.length / 4)), 0)
  return inFiles + scaled(wordBytes, samplesOf(plain), model)
}

const escapes = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g
const meant: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** What strings in JSON say: some clients write every letter beyond ASCII as six. */
function unescaped(json: string): string {
  if (!json.includes('\\')) return json
  return json.replace(escapes, (_, code: string | undefined, sign: string) =>
    code === undefined ? (meant[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function samplesOf(text: string): string[] {
  const step = Math.max(placeChars, (text.length - placeChars) / (places - 1))
  const starts = Array.from({ length: places }, (_, place) => Math.floor(place * step))
  return starts.flatMap((start) => (start < text.length ? [text.slice(start, start + placeChars)] : []))
}

/** Counts for one attempt on this model, and only when it is asked. Where that is not possible, four bytes are a token. */
export function createGauge(model: string, request: () => Sized): Gauge {
  const sample = createSample()
  return {
    hear: sample.take,
    input: (bytes) => counted(bytes, () => tokensOfRequest(request(), model)),
    output: (bytes) => counted(bytes, () => scaled(bytes, sample.stretches(), model)),
  }
}

/** What is owed must be known even when it cannot be counted. */
function counted(bytes: number, count: () => number): number {
  if (bytes <= 0) return 0
  try {
    return count()
  } catch {
    return roughly.input(bytes)
  }
}
