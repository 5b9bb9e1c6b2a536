/** Log probabilities of tokens: OpenAI's own shape, which the canonical one follows. */
import type { TokenLogprob } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'
import { isObject } from '#shared/json'
import type { Body } from '../fields.ts'

/** Invalid entries are left out. */
export function readLogprobs(logprobs: unknown): TokenLogprob[] {
  if (!isObject(logprobs) || !Array.isArray(logprobs.content)) return []
  return logprobs.content.flatMap((entry) => {
    const token = readToken(entry)
    if (!token || !isObject(entry)) return []
    const top = Array.isArray(entry.top_logprobs) ? entry.top_logprobs.flatMap((other) => readToken(other) ?? []) : []
    return [{ ...token, top }]
  })
}

function readToken(entry: unknown): Omit<TokenLogprob, 'top'> | undefined {
  if (!isObject(entry) || typeof entry.token !== 'string' || typeof entry.logprob !== 'number') return undefined
  const bytes = Array.isArray(entry.bytes) && entry.bytes.every((byte) => typeof byte === 'number') ? entry.bytes : null
  return { token: entry.token, logprob: entry.logprob, bytes }
}

type Written = WrittenFields<TokenLogprob, { token: 'written'; logprob: 'written'; bytes: 'written'; top: 'written' }>

/** The `logprobs` of a choice; null if there are none. */
export function writeLogprobs(logprobs: readonly Written[] | undefined): Body | null {
  if (!logprobs) return null
  return { content: logprobs.map(({ top, ...token }) => ({ ...token, top_logprobs: top })), refusal: null }
}
