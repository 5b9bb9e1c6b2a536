/**
 * How many tokens a text has, counted with the encoding of OpenAI's current models. Other vendors publish none, so their counts are
 * multiplied by a factor. The word pattern and the token table come from the package `gpt-tokenizer`.
 */
import { O200K_TOKEN_SPLIT_REGEX as words } from 'gpt-tokenizer/encodingParams/constants'
import { roughly, type TokenEstimator } from '#canonical/token-estimator'
import { readFromPackage } from '#runtime/package-file'
import { createEncoding, type Encoding } from './encoding.ts'
import { createSample, type Sample } from './text-sample.ts'

/**
 * Percent, by model name. Claude: 1.06 (its one published encoding) times 1.10 (what the vendor's counting API adds to that); Gemini:
 * 1.08 by its counting API. Other vendors stay within six percent of this encoding in Latin script.
 */
const factors: readonly [name: RegExp, percent: number][] = [
  [/claude/i, 117],
  [/gemini|gemma/i, 108],
]

let encoding: Encoding | undefined

/** Loads the encoding once. Blocks for about 30 ms, and takes 5 MB from then on. Throws when the package is missing. */
export function loadEncoding(): Encoding {
  encoding ??= createEncoding(readFromPackage('gpt-tokenizer/data/o200k_base.tiktoken'), words)
  return encoding
}

/** Tokens of all texts together. A single word of many kilobytes is slow. Loads the encoding if needed. */
export function countTokens(texts: readonly string[], model: string): number {
  return asOf(model, tokensIn(texts, loadEncoding()))
}

const tokensIn = (texts: readonly string[], encoding: Encoding): number => texts.reduce((all, text) => all + encoding(text), 0)

/** From tokens of the encoding to those of the model. */
const asOf = (model: string, tokens: number): number => Math.ceil((tokens * (factors.find(([name]) => name.test(model))?.[1] ?? 100)) / 100)

/** Tokens of `bytes` bytes of text, extrapolated from a sample; a quarter of the bytes without one. */
function scaled(bytes: number, sample: { bytes: number; tokens: number }, model: string): number {
  return sample.bytes === 0 ? Math.ceil(bytes / 4) : Math.ceil((bytes * asOf(model, sample.tokens)) / sample.bytes)
}

/** The parts of a request that matter for its tokens. */
export interface Sized {
  body: string
  bytes: number
  /** Whether it may contain files, as long runs of base64. */
  hasFiles: boolean
}

/** How many places of a body are sampled, and how many characters of each. */
const places = 8
const placeChars = 512

const longWord = /[A-Za-z0-9+/=_-]{4096,}/g
/** Most tokens a file counts as: those of an image for Claude, more than for most other vendors. */
const mostFileTokens = 1600

/**
 * Parts of the body that are not prompt and can be long: the client's metadata, names of caches and users, and state sealed by
 * upstreams. In a prompt text quotes are escaped, so it never matches one of these.
 */
const notPrompt =
  /"(?:metadata"\s*:\s*\{[^{}]*\}|(?:prompt_cache_key|safety_identifier)"\s*:\s*"(?:[^"\\]|\\.)*"|(?:encrypted_content|signature|thoughtSignature)"\s*:\s*"[\w+/=-]{64,}")/g

/** A request reduced to what its token count needs: a few kilobytes. Plain data. */
export interface SampledRequest {
  fileTokens: number
  /** Bytes of everything that is not a file. */
  textBytes: number
  samples: string[]
}

/** Samples the text; measures files one by one. */
export function sampleRequest({ body, bytes, hasFiles }: Sized): SampledRequest {
  const files = hasFiles ? (body.match(longWord) ?? []) : []
  const words = files.length > 0 ? body.replace(longWord, '') : body
  const fileTokens = files.reduce((sum, one) => sum + Math.min(mostFileTokens, Math.ceil(one.length / 4)), 0)
  const wordBytes = files.reduce((left, one) => left - one.length, bytes)
  if (words.length > mostUnescaped) return { fileTokens, ...sampleLong(words, wordBytes) }
  const plain = unescaped(words.replace(notPrompt, ''))
  const extra = Buffer.byteLength(words) - Buffer.byteLength(plain)
  return { fileTokens, textBytes: wordBytes - extra, samples: samplesOf(plain) }
}

/** Characters: of a longer body only the samples are unescaped, and their share of escapes is assumed for all of it. */
const mostUnescaped = 1024 * 1024

function sampleLong(words: string, wordBytes: number): Pick<SampledRequest, 'textBytes' | 'samples'> {
  const escaped = samplesOf(words)
  const samples = escaped.map(unescaped)
  const share = bytesOf(samples) / Math.max(1, bytesOf(escaped))
  return { textBytes: Math.ceil(wordBytes * share), samples }
}

const bytesOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** Tokens of a request, from its body or its sample. */
export function tokensOfRequest(request: Sized | SampledRequest, model: string, encoding = loadEncoding()): number {
  const { fileTokens, textBytes, samples } = 'samples' in request ? request : sampleRequest(request)
  return fileTokens + scaled(textBytes, { bytes: bytesOf(samples), tokens: tokensIn(samples, encoding) }, model)
}

const escapes = /\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g
const meant: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** The text of JSON strings without escapes: some clients write every non-ASCII letter as six characters. */
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

/** How an estimator counts. */
interface Counting {
  isPlausible?: TokenEstimator['isPlausible']
  /** Returns the encoding. */
  load?: () => Encoding
}

/**
 * A token estimator for one attempt on this model. Counts lazily, and nothing twice; where counting fails, four bytes are a
 * token.
 */
export const createTokenEstimator = (model: string, request: () => Sized | SampledRequest, counting: Counting = {}): TokenEstimator =>
  new SampleEstimator(model, request, counting)

class SampleEstimator implements TokenEstimator {
  readonly isPlausible: NonNullable<TokenEstimator['isPlausible']>
  readonly #model: string
  readonly #request: () => Sized | SampledRequest
  readonly #load: () => Encoding
  /** Created with the first text of an answer. */
  #sample: Sample | undefined
  #input: number | undefined

  constructor(model: string, request: () => Sized | SampledRequest, { isPlausible = isAlways, load = loadEncoding }: Counting) {
    this.#model = model
    this.#request = request
    this.isPlausible = isPlausible
    this.#load = load
  }

  addText(text: string): void {
    this.#sample ??= createSample()
    this.#sample.take(text)
  }

  input(bytes: number): number {
    if (bytes <= 0) return 0
    this.#input ??= counted(bytes, () => tokensOfRequest(this.#request(), this.#model, this.#load()))
    return this.#input
  }

  output(bytes: number): number {
    if (bytes <= 0) return 0
    return counted(bytes, () => scaled(bytes, this.#sample?.counted(this.#load()) ?? nothing, this.#model))
  }
}

const isAlways = () => true

const nothing = { bytes: 0, tokens: 0 }

/** A charge needs a number even when counting fails. */
function counted(bytes: number, count: () => number): number {
  try {
    return count()
  } catch {
    return roughly.input(bytes)
  }
}
