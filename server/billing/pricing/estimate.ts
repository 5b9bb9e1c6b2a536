/**
 * The most a request may cost, which is held before anything is sent: its tokens, each priced as the most expensive kind it may turn out
 * to be. Input: a quarter of the text's bytes in tokens, plus its non-text content. Output: the client's own limit, at most the
 * model's; where neither is known, 16,384 tokens. A stream begins with a part of that and tops its hold up while it runs. Pure.
 */
import { type NonTextContent, onlyText } from '#canonical/non-text-content'
import type { Usage } from '#canonical/usage'
import { cost, ratesFor } from './cost.ts'
import type { Rates, TokenRates } from './price.ts'

/** Output tokens assumed where no limit is known. */
const unknownOutputTokens = 16_384

/** Rough number of tokens in this many bytes of text. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / 4)

/** Inputs of an estimate. */
export interface Estimate {
  inputBytes: number
  /** Number of requested answers. */
  n: number
  /** The client's own limit, in tokens. */
  maxOutput: number | undefined
  /** The largest output of the candidate models, in tokens; undefined when one of them is unknown. */
  modelMaxOutput: number | undefined
  /** The non-text content of the request; absent: none. */
  nonText?: NonTextContent
  /** The most hosted searches. */
  searches?: number
  /** Lifetime of the cache that this request may fill; absent: it fills none. */
  cached?: '5m' | '1h'
  /** The requested service level, where it costs more. */
  servedAs?: Usage['servedAs']
  /** What an answer may contain besides text and reasoning. */
  makes?: { image?: boolean; audio?: boolean }
}

/** Output tokens that a stream's hold begins with and is topped up by. */
export const firstOutputTokens = 4096

/** Hosted searches of one answer where the caller sets no limit. */
export const usualSearches = 5
/** Input tokens of one search: the block that OpenAI charges per search of its small models. */
const searchTokens = 8000
/** Tokens of an image of any size: a little over the largest of Claude (4,784); OpenAI's and Google's are below it unless high detail is asked for. */
const imageTokens = 5000
/** Tokens of a document or audio that is not in the body. */
const fileTokens = 20_000
/** Bytes of base64 per token of audio, at 8 kbit/s and 32 tokens a second (Google's; OpenAI has ten). */
const soundBytes = 40

/** The most that the request may cost, in nano-dollars. `ratio` is in millionths. */
export function largestCost(estimate: Estimate, rates: Rates, ratio: bigint): bigint {
  return costOf(expensive(estimate, rates), (outputLimit(estimate) ?? unknownOutputTokens) * estimate.n, rates, ratio)
}

/** The nano-dollars that are held when a stream begins. `ratio` is in millionths. */
export function firstCost(estimate: Estimate, rates: Rates, ratio: bigint): bigint {
  return costOf(expensive(estimate, rates), firstOutputOf(estimate), rates, ratio)
}

/** How the hold of a stream grows, in nano-dollars. */
export interface Growth {
  /** The size of one increase. */
  step: bigint
  /** The most that the answer can cost; undefined = unknown. */
  most: bigint | undefined
  /** The cost of 4,096 output tokens; zero if the hold covers everything. */
  slice: bigint
}

/** How the hold of this stream grows. `ratio` is in millionths. */
export function growthOf(estimate: Estimate, rates: Rates, ratio: bigint): Growth {
  const usage = expensive(estimate, rates)
  const limit = outputLimit(estimate)
  const first = firstOutputOf(estimate)
  const input = costOf(usage, 0, rates, ratio)
  const step = costOf(usage, first, rates, ratio) - input
  return {
    step,
    most: limit === undefined ? undefined : costOf(usage, limit * estimate.n, rates, ratio),
    slice: first === firstOutputTokens ? step : costOf(usage, firstOutputTokens, rates, ratio) - input,
  }
}

/** The most tokens that one answer may have; undefined when no limit is known. */
function outputLimit({ maxOutput, modelMaxOutput }: Pick<Estimate, 'maxOutput' | 'modelMaxOutput'>): number | undefined {
  if (maxOutput === undefined || modelMaxOutput === undefined) return maxOutput ?? modelMaxOutput
  return Math.min(maxOutput, modelMaxOutput)
}

/** Output tokens that the first hold of a stream covers. */
const firstOutputOf = (estimate: Estimate): number => Math.min(firstOutputTokens, outputLimit(estimate) ?? firstOutputTokens) * estimate.n

/** A request's most expensive usage, before its output is filled in. */
interface Expensive {
  usage: Usage
  /** The most expensive kind of output. */
  kind: ReturnType<typeof mostExpensiveOutput>
}

function costOf({ usage, kind }: Expensive, output: number, rates: Rates, ratio: bigint): bigint {
  const { out } = usage
  out.total = output
  if (kind === 'reasoning') out.reasoning = output
  if (kind === 'imageOut') out.image = output
  if (kind === 'audioOut') out.audio = output
  return cost(usage, rates, ratio)
}

function expensive(estimate: Estimate, rates: Rates): Expensive {
  const { inputBytes, nonText = onlyText, searches = 0 } = estimate
  const { images, sounds, files } = nonText
  const text = tokensOf(Math.max(0, inputBytes - images.bytes - sounds.bytes)) + files.elsewhere * fileTokens + searches * searchTokens
  const seen = images.pieces * imageTokens
  const audioTokens = Math.ceil(sounds.bytes / soundBytes) + sounds.elsewhere * fileTokens
  const at = ratesFor(text + seen + audioTokens, rates)
  // An upstream may report image and audio tokens apart, or count them with the text.
  const plain = mostExpensive(at, inputKinds(estimate))
  const put = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, imageIn: 0, audioIn: 0 }
  put[plain] += text
  if (seen > 0) put[mostExpensive(at, [plain, 'imageIn'])] += seen
  if (audioTokens > 0) put[mostExpensive(at, [plain, 'audioIn'])] += audioTokens
  const usage: Usage = {
    in: {
      fresh: put.input,
      cacheRead: put.cacheRead,
      cacheWrite: { '5m': put.cacheWrite5m, '1h': put.cacheWrite1h, other: 0 },
      image: put.imageIn,
      audio: put.audioIn,
    },
    out: { total: 0, reasoning: 0, audio: 0, image: 0 },
    units: { requests: 1, images: 0, seconds: 0, characters: 0, searches },
    provenance: 'estimated',
    ...(estimate.servedAs && { servedAs: estimate.servedAs }),
    raw: null,
  }
  return { usage, kind: mostExpensiveOutput(at, estimate.makes) }
}

const readKinds = ['input', 'cacheRead'] as const
const shortKinds = [...readKinds, 'cacheWrite5m'] as const
const longKinds = [...shortKinds, 'cacheWrite1h'] as const

function inputKinds({ cached }: Estimate) {
  if (cached === undefined) return readKinds
  return cached === '5m' ? shortKinds : longKinds
}

const textKinds = ['output', 'reasoning'] as const

/** The most expensive kind of output of those that the answer may contain. */
export function mostExpensiveOutput(rates: TokenRates, { image = false, audio = false }: NonNullable<Estimate['makes']> = {}) {
  if (!image && !audio) return mostExpensive(rates, textKinds)
  return mostExpensive(rates, ['output', 'reasoning', ...(image ? (['imageOut'] as const) : []), ...(audio ? (['audioOut'] as const) : [])])
}

/** The most expensive kind; the first of them where several cost the same. */
function mostExpensive<Kind extends keyof TokenRates>(rates: TokenRates, kinds: readonly [Kind, ...Kind[]]): Kind {
  let most = kinds[0]
  for (const kind of kinds) if (rates[kind] > rates[most]) most = kind
  return most
}
