/** Classifies what the openai SDK throws, for all its dialects and both of its major versions. */
import type OpenAI from 'openai'
import OpenAI6 from 'openai-6'
import type { Fault } from './dialogue.ts'

/** The newest SDK's class, or its predecessor's, which does not differ in anything that these tests use. */
export type OpenAIClass = typeof OpenAI

/** The major version before the newest. */
export const olderOpenAI = OpenAI6 as unknown as OpenAIClass

/** The fault behind what an SDK of this class threw. */
export function openaiFault(sdk: OpenAIClass, thrown: unknown): Fault {
  if (thrown instanceof sdk.APIUserAbortError) return { kind: 'left' }
  if (thrown instanceof sdk.APIConnectionError || !(thrown instanceof sdk.APIError)) return { kind: 'unknown', thrown }
  if (thrown.status === undefined) return { kind: 'stream' }
  const status = Number(thrown.status)
  return thrown instanceof sdk.InternalServerError === status >= 500 ? { kind: 'status', status } : { kind: 'unknown', thrown }
}
