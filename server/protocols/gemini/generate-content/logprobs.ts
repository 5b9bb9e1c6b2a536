/** Log probabilities of tokens: Gemini has texts and figures, no bytes. */
import type { TokenLogprob } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'
import { type Body, numeric, pick, pickObject, pickObjects, pickText } from '../proto-json.ts'

type Top = TokenLogprob['top'][number]

/** One entry per token that a candidate names; empty when it names none. */
export function readLogprobs(candidate: Body): TokenLogprob[] {
  const result = pickObject(candidate, 'logprobsResult')
  if (!result) return []
  const tops = pickObjects(result, 'topCandidates')
  return pickObjects(result, 'chosenCandidates').map((chosen, index) => ({
    ...readToken(chosen),
    top: pickObjects(tops[index] ?? {}, 'candidates').map(readToken),
  }))
}

function readToken(token: Body): Top {
  return { token: pickText(token, 'token') ?? '', logprob: numeric(pick(token, 'logProbability')) ?? 0, bytes: null }
}

type Written = WrittenFields<TokenLogprob, { token: 'written'; logprob: 'written'; top: 'written'; bytes: 'notNeeded' }>

/** The `logprobsResult` of a candidate. */
export function writeLogprobs(tokens: readonly Written[]): Body {
  const row = ({ token, logprob }: Omit<Written, 'top'>) => ({ token, logProbability: logprob })
  return {
    topCandidates: tokens.map(({ top }) => ({ candidates: top.map(row) })),
    chosenCandidates: tokens.map(row),
  }
}
