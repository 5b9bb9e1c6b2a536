/**
 * What a request may cost, held before anything is sent: its tokens at the dearest kind that it can come to. Input: a quarter of
 * the text's bytes in tokens, and what it brings beside text. Output: the client's own limit, at most the model's; where neither
 * is known, 16,384 tokens. A stream begins with a slice of that and its hold grows while it runs. Pure.
 */
import { type BesideText, nothingBeside } from '#canonical/beside-text'
import { noUsage, type Usage } from '#canonical/usage'
import { cost, ratesFor } from './cost.ts'
import type { Rates, TokenRates } from './price.ts'

/** Output tokens assumed where no limit is known. */
export const unknownOutputTokens = 16_384

export const tokensOf = (bytes: number): number => Math.ceil(bytes / 4)

export interface Estimate {
  inputBytes: number
  /** Answers asked for. */
  n: number
  /** The client's own limit. */
  maxOutput: number | undefined
  /** The largest output of the planned models; undefined when one of them is unknown. */
  modelMaxOutput: number | undefined
  /** What the request brings beside text; absent = nothing. */
  beside?: BesideText
  /** Hosted searches at most. */
  searches?: number
  /** How long a cache may be written for that this request fills; absent = none is. */
  cached?: '5m' | '1h'
  /** What an answer may hold beside text and reasoning. */
  makes?: { image?: boolean; audio?: boolean }
}

/** Output tokens that a stream's hold begins with and grows by. */
export const sliceOutputTokens = 4096

/** Hosted searches of one answer, where the caller sets no bound. */
export const usualSearches = 5
/** What one of them puts into the model: the block that OpenAI charges for each search of its small models. */
const searchTokens = 8000
/** A picture, whatever its size: a little over what the largest is for Claude (4,784); OpenAI's and Google's are below it unless they are asked to look closer. */
const imageTokens = 5000
/** A document or a sound that is not in the body. */
const fileTokens = 20_000
/** Bytes of base64 for a token of sound: at eight kilobits a second, and 32 tokens a second (Google's; OpenAI has ten). */
const soundBytes = 40

/** Nano-dollars. `ratio` in millionths. */
export function largestCost(estimate: Estimate, rates: Rates, ratio: bigint): bigint {
  return costOf(estimate, outputLimit(estimate) ?? unknownOutputTokens, rates, ratio)
}

/** Nano-dollars that are held when a stream begins. `ratio` in millionths. */
export function firstCost(estimate: Estimate, rates: Rates, ratio: bigint): bigint {
  return costOf(estimate, Math.min(sliceOutputTokens, outputLimit(estimate) ?? sliceOutputTokens), rates, ratio)
}

/** Tokens that one answer has at most; undefined when nobody knows. */
export function outputLimit({ maxOutput, modelMaxOutput }: Pick<Estimate, 'maxOutput' | 'modelMaxOutput'>): number | undefined {
  const limits = [maxOutput, modelMaxOutput].filter((limit) => limit !== undefined)
  return limits.length > 0 ? Math.min(...limits) : undefined
}

function costOf(estimate: Estimate, output: number, rates: Rates, ratio: bigint): bigint {
  const { inputBytes, n, beside = nothingBeside(), searches = 0 } = estimate
  const { images, sounds, files } = beside
  const text = tokensOf(Math.max(0, inputBytes - images.bytes - sounds.bytes)) + files.elsewhere * fileTokens + searches * searchTokens
  const seen = images.pieces * imageTokens
  const heard = Math.ceil(sounds.bytes / soundBytes) + sounds.elsewhere * fileTokens
  const at = ratesFor(text + seen + heard, rates)
  const usage = noUsage()
  // An upstream may say what its tokens were, or count them with the text.
  const plain = dearest(at, inputKinds(estimate))
  const put = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, imageIn: 0, audioIn: 0 }
  put[plain] += text
  put[dearest(at, [plain, 'imageIn'])] += seen
  put[dearest(at, [plain, 'audioIn'])] += heard
  usage.in = {
    fresh: put.input,
    cacheRead: put.cacheRead,
    cacheWrite: { '5m': put.cacheWrite5m, '1h': put.cacheWrite1h, other: 0 },
    image: put.imageIn,
    audio: put.audioIn,
  }
  usage.units.searches = searches
  fillOutput(usage, dearestOutput(at, estimate.makes), output * n)
  return cost(usage, rates, ratio)
}

function inputKinds({ cached }: Estimate) {
  if (cached === undefined) return ['input', 'cacheRead'] as const
  return cached === '5m'
    ? (['input', 'cacheRead', 'cacheWrite5m'] as const)
    : (['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const)
}

/** The kind of output that costs most, of those that an answer may hold. */
export function dearestOutput(rates: TokenRates, { image = false, audio = false }: NonNullable<Estimate['makes']> = {}) {
  return dearest(rates, ['output', 'reasoning', ...(image ? (['imageOut'] as const) : []), ...(audio ? (['audioOut'] as const) : [])])
}

function fillOutput({ out }: Usage, kind: ReturnType<typeof dearestOutput>, tokens: number): void {
  out.total = tokens
  if (kind === 'reasoning') out.reasoning = tokens
  if (kind === 'imageOut') out.image = tokens
  if (kind === 'audioOut') out.audio = tokens
}

/** The first of the dearest. */
function dearest<Kind extends keyof TokenRates>(rates: TokenRates, kinds: readonly [Kind, ...Kind[]]): Kind {
  return kinds.reduce((one, other) => (rates[other] > rates[one] ? other : one))
}
