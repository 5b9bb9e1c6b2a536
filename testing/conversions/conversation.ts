/** Short ways to say a canonical conversation, for tests of whatever writes one. */
import type { ConversationRequest, MediaPart, Part, TextPart, Tool, Turn } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'

export const text = (words: string): TextPart => ({ kind: 'text', text: words })
export const user = (...parts: Part[]): Turn => ({ role: 'user', parts: parts.length > 0 ? parts : [text('hi')] })
export const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
export const results = (...parts: Part[]): Turn => ({ role: 'tool', parts })

export const call = (callId: string, argsText = '{}', name = 'look'): Part => ({ kind: 'call', callId, name, form: 'json', argsText })

export const result = (callId: string, ...parts: (TextPart | MediaPart)[]): Part => ({
  kind: 'result',
  callId,
  form: 'json',
  isError: false,
  parts,
})

/** The tool that `call` calls. */
export const look: Extract<Tool, { kind: 'function' }> = { kind: 'function', name: 'look', parameters: { type: 'object', properties: {} } }

/** A request of a Chat client that says `hi`, but for `fields`. */
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
