/**
 * Filters what a client gets of an upstream's answer. Unrequested reasoning would come before the text, and much client code only reads the
 * first part: it is left out, and its state is remembered by the tool calls that follow. A finish reason that the client's dialect could
 * only express as success becomes an error. Pure.
 */
import type { Choice, ConversationRequest, Finish, Part } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'

/** The filter of one answer. */
export interface AskedFor {
  /** The event, unless it belongs to reasoning that is left out. */
  event(event: ConversationEvent): ConversationEvent | undefined
  parts(parts: readonly Part[]): readonly Part[]
  /** The error for a finish that the client would take for success; undefined for any other. */
  failure(finish: Finish): GatewayError | undefined
  /** Throws the failure of a whole answer. */
  checked(choices: readonly Choice[]): void
}

/** Dialects with reasoning and text in one list. */
const listsThoughts: ReadonlySet<Dialect> = new Set(['messages', 'gemini'])
/** Dialects that can express a malformed tool call. */
const expressesBadCalls: ReadonlySet<Dialect> = new Set(['responses', 'gemini'])

const badCall = () => new GatewayError('upstream_error', 'The model produced a malformed tool call. Try again.')

/** A Messages request without `thinking` does not say what to show; Gemini shows reasoning only on request. */
const asksForThoughts = ({ dialect, reasoning }: ConversationRequest): boolean =>
  reasoning.visible !== undefined && (dialect === 'messages' || reasoning.visible !== 'none')

/** `upstream` is the dialect of the answer: one in the client's own dialect is forwarded unchanged. */
export function askedFor(request: ConversationRequest, upstream: Dialect): AskedFor {
  const { dialect } = request
  const hides = dialect !== upstream && listsThoughts.has(dialect) && !asksForThoughts(request)
  const hidden = new Set<string>()

  function event(one: ConversationEvent): ConversationEvent | undefined {
    if (!hides || !('at' in one)) return one
    const key = `${one.choice}/${one.at}`
    if (one.kind === 'open' && one.part.kind === 'reasoning') hidden.add(key)
    return hidden.has(key) ? undefined : one
  }

  const failure = ({ reason }: Finish) => (reason === 'bad-tool-call' && !expressesBadCalls.has(dialect) ? badCall() : undefined)

  return {
    event,
    parts: (parts) => (hides ? parts.filter(({ kind }) => kind !== 'reasoning') : parts),
    failure,
    checked(choices) {
      for (const { finish } of choices) {
        const failed = failure(finish)
        if (failed) throw failed
      }
    },
  }
}
