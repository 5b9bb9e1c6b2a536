/** Classifies what the openai SDK throws, for all its dialects. */
import OpenAI from 'openai'
import type { Fault } from './dialogue.ts'

/** The fault behind what the SDK threw. */
export function openaiFault(thrown: unknown): Fault {
  if (thrown instanceof OpenAI.APIUserAbortError) return { kind: 'left' }
  if (thrown instanceof OpenAI.APIConnectionError || !(thrown instanceof OpenAI.APIError)) return { kind: 'unknown', thrown }
  if (thrown.status === undefined) return { kind: 'stream' }
  const status = Number(thrown.status)
  return thrown instanceof OpenAI.InternalServerError === status >= 500 ? { kind: 'status', status } : { kind: 'unknown', thrown }
}
