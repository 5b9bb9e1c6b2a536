/** Shorthand for canonical conversations, for tests of codecs. */
import type { ConversationRequest, MediaPart, Part, TextPart, Tool, Turn } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'

/** A text part. */
export const text = (words: string): TextPart => ({ kind: 'text', text: words })

/** A user turn; without parts it says `hi`. */
export const user = (...parts: Part[]): Turn => ({ role: 'user', parts: parts.length > 0 ? parts : [text('hi')] })

/** An assistant turn. */
export const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })

/** A turn of tool results. */
export const results = (...parts: Part[]): Turn => ({ role: 'tool', parts })

/** A call of the function `look`, unless named otherwise. */
export const call = (callId: string, argsText = '{}', name = 'look'): Part => ({ kind: 'call', callId, name, form: 'json', argsText })

/** The result of a call. */
export const result = (callId: string, ...parts: (TextPart | MediaPart)[]): Part => ({
  kind: 'result',
  callId,
  form: 'json',
  isError: false,
  parts,
})

/** The tool that `call` calls. */
export const look: Extract<Tool, { kind: 'function' }> = { kind: 'function', name: 'look', parameters: { type: 'object', properties: {} } }

/** A Chat client's request that says `hi`, with these fields replaced. */
export function conversation(fields: Partial<ConversationRequest> = {}): ConversationRequest {
  return {
    dialect: 'chat',
    model: 'asked',
    instructions: [],
    turns: [user()],
    tools: [],
    toolPolicy: { mode: 'auto' },
    output: { format: { kind: 'text' }, modalities: [], stop: [], n: 1 },
    sampling: {},
    reasoning: {},
    cache: {},
    identity: {},
    stream: false,
    usageAsked: false,
    extensions: {},
    ...fields,
  }
}

/** Losses as `field:what`, with a `!` for those that strict mode refuses. */
export const named = (losses: readonly Loss[]): string[] =>
  losses.map(({ field, what, meaning }) => `${field}:${what}${meaning ? '!' : ''}`)
