/**
 * How many tokens a text is, counted with the encoding of OpenAI's present models. Others publish none, so their texts are
 * counted with it and taken times a factor. The encoding costs 0.3 seconds and 70 MB, once, when the first text is counted.
 */
import { type Gauge, roughly } from '#canonical/gauge'
import { loadNow } from '#runtime/load'
import { createSample } from './sample.ts'

interface Encoding {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number
  setMergeCacheSize(entries: number): void
}

/**
 * Percent, by the name of the model. Claude: 1.06 (its one published encoding) times 1.10 (what counts of the vendor's API add
 * to that); Gemini: 1.08 by counts of its API. Other makers stay within six percent of this encoding in Latin script.
 */
const factors: readonly [name: RegExp, percent: number][] = [
  [/claude/i, 117],
  [/gemini|gemma/i, 108],
]

/** Words whose tokens are remembered: enough for what is usual, 10 MB at most. */
const rememberedWords = 20_000
/** A text that looks like the mark of a dialogue is a text. */
const noMarks = { disallowedSpecial: new Set<string>() }

let encoding: Encoding | undefined

function load(): Encoding {
  const loaded = loadNow('gpt-tokenizer/encoding/o200k_base') as Encoding
  loaded.setMergeCacheSize(rememberedWords)
  return loaded
}

/** Tokens of short texts, counted one by one; long ones without any space take long. Throws when the package is not there. */
export function countTokens(texts: readonly string[], model: string): number {
  encoding ??= load()
  let sum = 0
  for (const text of texts) sum += encoding.countTokens(text, noMarks)
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
  const wordBytes = files.reduce((left, one) => left - one.length, bytes)
  const inFiles = files.reduce((sum, one) => sum + Math.min(fileTokens, Math.ceil(one.length / 4)), 0)
  return inFiles + scaled(wordBytes, samplesOf(words), model)
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
