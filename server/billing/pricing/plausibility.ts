/**
 * Which usage reported by an upstream is plausible. The bounds are wide: vendors count in many ways, and rejecting an honest report
 * is worse than noticing a false one late. But no one is charged for more than a request of this size could have used. Pure.
 */
import { type NonTextContent, onlyText } from '#canonical/non-text-content'
import { noUsage, promptOf, type Usage } from '#canonical/usage'
import { usualSearches } from './estimate.ts'

type ReportedUsage = Omit<Usage, 'raw'>

/** The largest usage that is plausible. */
export interface PlausibleUsage {
  /** Input tokens of all kinds. */
  input: number
  /** Output tokens without reasoning. Reasoning is separate: it may or may not count towards the caller's limit. */
  answer: number
  reasoning: number
  searches: number
  seconds: number
}

/** Every bound is this many times what is expected, plus an allowance. */
const times = 4
const tokensMore = 10_000
/** Allowance for input: prompts that an upstream adds to a conversation, or what it looks up unasked. */
const inputMore = 32_768
const searchesMore = 500
/** Allowance: some vendors charge whole minutes. */
const secondsMore = 60

/** The largest output of any known model, in tokens. */
const largestOutput = 131_072
/** An image in full detail, by the vendor that counts the most tokens for one (gpt-4o-mini, 48,169). */
const imageTokens = 50_000
/** For input of unknown size: a model reads its whole context again after each tool call. */
const rounds = 10
const anyInput = 20_000_000

/** What is known about a request when its usage is checked. */
export interface UsageContext {
  inputBytes: number
  /** Bytes that Parley itself put into the request. */
  addedBytes: number
  n: number
  maxOutput?: number | undefined
  modelMaxOutput?: number | undefined
  /** Tokens of the model's context. */
  context?: number | undefined
  nonText?: NonTextContent | undefined
  searchAsked: boolean
}

/** The largest plausible usage of a conversation. */
export function plausibleConversation(asked: UsageContext): PlausibleUsage {
  const { maxOutput, modelMaxOutput = largestOutput, n, searchAsked } = asked
  const { searches = usualSearches, unseen = false } = asked.nonText ?? {}
  // The upstream's own tools produce many answers in one.
  const limit = unseen || searchAsked ? Math.max(maxOutput ?? 0, modelMaxOutput) : (maxOutput ?? modelMaxOutput)
  return {
    input: plausibleInput(asked),
    answer: times * limit * n + tokensMore,
    reasoning: Math.max(times * limit, modelMaxOutput) * n + tokensMore,
    searches: times * searches + searchesMore,
    seconds: Number.POSITIVE_INFINITY,
  }
}

/** At most one token per byte, four times what is expected; documents and videos may have more tokens than bytes. */
function plausibleInput({ inputBytes, addedBytes, n, context, searchAsked, nonText = onlyText }: UsageContext): number {
  const { images, sounds, files, unseen } = nonText
  const inBody = (inputBytes + addedBytes + images.pieces * imageTokens) * Math.max(1, n) + inputMore
  if (!unseen && !searchAsked && files.pieces === 0 && sounds.elsewhere === 0) return inBody
  return Math.max(inBody, context === undefined ? anyInput : context * rounds)
}

/** The largest plausible usage of an operation that is not a conversation. `most`: the usage that was held for. */
export function plausibleOperation(most: Usage, hasHiddenInput: boolean): PlausibleUsage {
  return {
    input: hasHiddenInput ? anyInput : times * promptOf(most) + tokensMore,
    answer: times * most.out.total + tokensMore,
    reasoning: times * most.out.total + tokensMore,
    searches: times * most.units.searches + 10,
    seconds: times * most.units.seconds + secondsMore,
  }
}

/** Whether every figure lies within its bound. */
export function isPlausible(reported: ReportedUsage, plausible: PlausibleUsage): boolean {
  const reasoning = Math.min(reported.out.reasoning, reported.out.total)
  return (
    promptOf(reported) <= plausible.input &&
    reported.out.total - reasoning <= plausible.answer &&
    reasoning <= plausible.reasoning &&
    reported.units.searches <= plausible.searches &&
    reported.units.seconds <= plausible.seconds
  )
}

/** The reported usage of an operation, with implausible figures replaced by the ones that were held for; marked as estimated. */
export function plausiblePart(figures: Usage, possible: PlausibleUsage, most: Usage): Usage {
  const none = noUsage()
  const has = (part: Partial<Pick<Usage, 'in' | 'out' | 'units'>>) => isPlausible({ ...none, ...part }, possible)
  const { searches, seconds } = figures.units
  const units = {
    searches: has({ units: { ...none.units, searches } }) ? searches : most.units.searches,
    seconds: has({ units: { ...none.units, seconds } }) ? seconds : most.units.seconds,
  }
  return {
    ...figures,
    in: has({ in: figures.in }) ? figures.in : most.in,
    out: has({ out: figures.out }) ? figures.out : most.out,
    units: { ...figures.units, ...units },
    provenance: 'estimated',
  }
}
