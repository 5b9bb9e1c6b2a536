/**
 * Which figures of an upstream can be. The bounds are wide, for vendors count in many ways, and to disbelieve an honest one is
 * worse than to catch a lie late; but nobody is charged for what no request of this size could have used. Pure.
 */
import { type BesideText, nothingBeside } from '#canonical/beside-text'
import { noUsage, promptOf, type Usage } from '#canonical/usage'
import { usualSearches } from './estimate.ts'

type Told = Omit<Usage, 'raw'>

/** The most that is believed. */
export interface Possible {
  /** Tokens of all kinds. */
  input: number
  /** Tokens of an answer without its reasoning, and of reasoning, which may or may not count in the caller's limit. */
  said: number
  reasoning: number
  searches: number
  seconds: number
}

/** Every bound is so many times what is expected, and so much. */
const times = 4
const tokensMore = 10_000
/** Of input: prompts that an upstream puts before a conversation, or what it looks up unasked. */
const inputMore = 32_768
const searchesMore = 500
/** Some charge a whole minute. */
const secondsMore = 60

/** The largest output of any model that is known. */
const largestOutput = 131_072
/** A picture looked at closely, counted by the vendor that counts highest for one (gpt-4o-mini, 48,169). */
const imageTokens = 50_000
/** Input whose size nobody here knows: a model reads its whole context again after each tool. */
const rounds = 10
const anyInput = 20_000_000

export interface Asked {
  inputBytes: number
  /** Bytes that Parley itself put into the request. */
  addedBytes: number
  n: number
  maxOutput?: number | undefined
  modelMaxOutput?: number | undefined
  /** Tokens of the model's context. */
  context?: number | undefined
  beside?: BesideText | undefined
  searchAsked: boolean
}

/** What a conversation can come to. */
export function possibleIn(asked: Asked): Possible {
  const { maxOutput, modelMaxOutput = largestOutput, n, searchAsked } = asked
  const { searches = usualSearches, unseen = false } = asked.beside ?? {}
  // What tools of the upstream do is many answers in one.
  const limit = unseen || searchAsked ? Math.max(maxOutput ?? 0, modelMaxOutput) : (maxOutput ?? modelMaxOutput)
  return {
    input: possibleInput(asked),
    said: times * limit * n + tokensMore,
    reasoning: Math.max(times * limit, modelMaxOutput) * n + tokensMore,
    searches: times * searches + searchesMore,
    seconds: Number.POSITIVE_INFINITY,
  }
}

/** A byte is a token at most, which is four times what is expected; documents and videos have more than their bytes say. */
function possibleInput({ inputBytes, addedBytes, n, context, searchAsked, beside = nothingBeside() }: Asked): number {
  const { images, sounds, files, unseen } = beside
  const inBody = (inputBytes + addedBytes + images.pieces * imageTokens) * Math.max(1, n) + inputMore
  if (!unseen && !searchAsked && files.pieces === 0 && sounds.elsewhere === 0) return inBody
  return Math.max(inBody, context === undefined ? anyInput : context * rounds)
}

/** What an operation can come to, by the most that was held for it. */
export function possibleBeside(most: Usage, hasHiddenInput: boolean): Possible {
  return {
    input: hasHiddenInput ? anyInput : times * promptOf(most) + tokensMore,
    said: times * most.out.total + tokensMore,
    reasoning: times * most.out.total + tokensMore,
    searches: times * most.units.searches + 10,
    seconds: times * most.units.seconds + secondsMore,
  }
}

export function isPossible(told: Told, possible: Possible): boolean {
  const reasoning = Math.min(told.out.reasoning, told.out.total)
  return (
    promptOf(told) <= possible.input &&
    told.out.total - reasoning <= possible.said &&
    reasoning <= possible.reasoning &&
    told.units.searches <= possible.searches &&
    told.units.seconds <= possible.seconds
  )
}

/** Of an operation: what can be as it was told, and the most that was held in the place of what cannot. */
export function possiblePart(told: Usage, possible: Possible, most: Usage): Usage {
  const none = noUsage()
  const has = (part: Partial<Pick<Usage, 'in' | 'out' | 'units'>>) => isPossible({ ...none, ...part }, possible)
  const { searches, seconds } = told.units
  const units = {
    searches: has({ units: { ...none.units, searches } }) ? searches : most.units.searches,
    seconds: has({ units: { ...none.units, seconds } }) ? seconds : most.units.seconds,
  }
  return {
    ...told,
    in: has({ in: told.in }) ? told.in : most.in,
    out: has({ out: told.out }) ? told.out : most.out,
    units: { ...told.units, ...units },
    provenance: 'estimated',
  }
}
