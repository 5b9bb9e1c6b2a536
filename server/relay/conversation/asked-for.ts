/**
 * What of an upstream's answer a client is given. Thoughts that nobody asked for would stand before the text, where much code reads the
 * first part alone: they are left out, and their state is kept here by the tool calls that follow. An end that the client's dialect
 * could only tell as success is an error. Pure.
 */
import type { Choice, ConversationRequest, Finish, Part } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'

/** One answer on its way. */
export interface AskedFor {
  /** The event, unless it belongs to a thought that is left out. */
  event(event: ConversationEvent): ConversationEvent | undefined
  parts(parts: readonly Part[]): readonly Part[]
  /** What the client would take for success; undefined for everything else. */
  failure(finish: Finish): GatewayError | undefined
  /** Throws the failure of a whole answer. */
  checked(choices: readonly Choice[]): void
}

/** In these dialects thoughts and text stand in one list. */
const listsThoughts: ReadonlySet<Dialect> = new Set(['messages', 'gemini'])
/** The dialects with a word for a tool call that the model could not form. */
const tellsBadCalls: ReadonlySet<Dialect> = new Set(['responses', 'gemini'])

const badCall = () => new GatewayError('upstream_error', 'The model began a tool call that it could not form. Try again.')

/** A request of Messages without `thinking` says nothing about what to show; Gemini shows nothing unless it is asked. */
const asksForThoughts = ({ dialect, reasoning }: ConversationRequest): boolean =>
  reasoning.visible !== undefined && (dialect === 'messages' || reasoning.visible !== 'none')

/** `upstream` is the dialect of the answer: in the client's own, it is given as it came. */
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

  const failure = ({ reason }: Finish) => (reason === 'bad-tool-call' && !tellsBadCalls.has(dialect) ? badCall() : undefined)

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
