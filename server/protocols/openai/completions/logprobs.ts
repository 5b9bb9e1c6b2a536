/** Log probabilities as Completions writes them: lists side by side instead of one entry per token. */
import type { TokenLogprob } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'
import { isObject } from '#shared/json'
import type { Body } from '../fields.ts'

/** Tokens without a figure, such as the first one of an echoed prompt, are left out. */
export function readLogprobs(logprobs: unknown): TokenLogprob[] {
  if (!isObject(logprobs) || !Array.isArray(logprobs.tokens)) return []
  const figures: unknown[] = Array.isArray(logprobs.token_logprobs) ? logprobs.token_logprobs : []
  const tops: unknown[] = Array.isArray(logprobs.top_logprobs) ? logprobs.top_logprobs : []
  return logprobs.tokens.flatMap((token, at) => {
    const logprob = figures[at]
    return typeof token === 'string' && typeof logprob === 'number' ? [{ token, logprob, bytes: null, top: readTop(tops[at]) }] : []
  })
}

function readTop(top: unknown): TokenLogprob['top'] {
  if (!isObject(top)) return []
  return Object.entries(top).flatMap(([token, logprob]) => (typeof logprob === 'number' ? [{ token, logprob, bytes: null }] : []))
}

type Written = WrittenFields<TokenLogprob, { token: 'written'; logprob: 'written'; top: 'written'; bytes: 'notNeeded' }>

/** `from` is the position of the first token in the text. */
export function writeLogprobs(logprobs: readonly Written[] | undefined, from = 0): Body | null {
  if (!logprobs) return null
  let offset = from
  const offsets = logprobs.map(({ token }) => {
    const start = offset
    offset += token.length
    return start
  })
  return {
    tokens: logprobs.map(({ token }) => token),
    token_logprobs: logprobs.map(({ logprob }) => logprob),
    top_logprobs: logprobs.map(({ top }) => Object.fromEntries(top.map(({ token, logprob }) => [token, logprob]))),
    text_offset: offsets,
  }
}
