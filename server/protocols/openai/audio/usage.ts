/**
 * Usage of audio: tokens or seconds as the upstream reports, and an estimate of an unreported unit by which the model is priced. Audio
 * input has ten tokens a second and output twenty-one (the published prices per minute, divided by those per token).
 */
import type { OperationHead } from '#canonical/operation/operation'
import { noUsage, type Usage } from '#canonical/usage'
import { isObject } from '#shared/json'
import { bounded } from '../usage.ts'

/** Tokens per second of audio input. */
export const inputTokensPerSecond = 10
/** Tokens per second of audio output. */
export const outputTokensPerSecond = 21

/** Seconds in a week, tokens of any request: larger figures are not believed. */
const longest = 604_800
const absurd = 1e9

const figure = (value: unknown, limit: number): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= limit ? value : undefined

const tokenCount = (value: unknown) => {
  const count = figure(value, absurd)
  return count !== undefined && Number.isInteger(count) ? count : undefined
}

export interface ReportedTokens {
  input: number
  audio: number
  output: number
}

/** `{type: "tokens", input_tokens, output_tokens, input_token_details}`; input of unknown kind counts as audio if the request has audio. */
export function tokensIn(usage: unknown, hasAudioInput: boolean): ReportedTokens | undefined {
  if (!isObject(usage)) return undefined
  const input = tokenCount(usage.input_tokens ?? usage.prompt_tokens)
  const output = tokenCount(usage.output_tokens ?? usage.completion_tokens ?? 0)
  if (input === undefined || output === undefined || input + output === 0) return undefined
  const details = isObject(usage.input_token_details) ? usage.input_token_details : {}
  const text = tokenCount(details.text_tokens) ?? 0
  const audio = tokenCount(details.audio_tokens) ?? (hasAudioInput ? input - text : 0)
  return { input, audio: Math.min(input, Math.max(0, audio)), output }
}

/**
 * `{type: "duration", seconds}`, or the `duration` next to a transcript, which older servers write as text. A duration of zero is ignored.
 */
export function secondsIn(usage: unknown, duration: unknown): number | undefined {
  const reported = isObject(usage) && usage.type === 'duration' ? figure(usage.seconds, longest) : undefined
  return reported || figure(typeof duration === 'string' && duration !== '' ? Number(duration) : duration, longest) || undefined
}

/** The part of a request that matters for billing. */
export interface Measured extends OperationHead {
  /** Used if the upstream reports nothing; tokens and seconds by what was delivered. */
  estimate(delivered: number): Usage
}

/** The upstream's figures, completed by the estimate for charged units. `delivered`: bytes that the client got. */
export function settleSound(
  asked: Measured,
  reported: { tokens: ReportedTokens | undefined; seconds?: number | undefined; raw?: unknown; speaks?: true },
  delivered: number,
): Usage {
  const { tokens, seconds } = reported
  const estimate = asked.estimate(delivered)
  const knows = tokens !== undefined || seconds !== undefined
  const priced = asked.priced ?? { tokens: !knows, seconds: false, characters: false }
  const usage = noUsage()
  usage.units = { ...estimate.units, ...(seconds !== undefined && { seconds }) }
  if (tokens) {
    usage.in = { ...usage.in, fresh: tokens.input - tokens.audio, audio: tokens.audio }
    usage.out = { ...usage.out, total: tokens.output, audio: reported.speaks ? tokens.output : 0 }
  } else if (priced.tokens) {
    usage.in = estimate.in
    usage.out = estimate.out
  }
  const counted = [priced.tokens && tokens === undefined, priced.seconds && seconds === undefined, reported.speaks && priced.characters]
  usage.provenance = !knows ? 'estimated' : counted.some(Boolean) ? 'partial' : 'provider'
  usage.raw = knows && isObject(reported.raw) ? bounded(reported.raw) : null
  return usage
}
