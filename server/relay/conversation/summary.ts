/** The request for a summary of a conversation, and how the summary is presented to the model that continues from it. */
import type { ConversationRequest } from '#canonical/conversation'
import { GatewayError } from '#shared/errors'

const instruction = `The conversation stops here for a moment: write down what is needed to continue it. All messages above will be removed, and whoever goes on will have your text in their place and nothing else.

Include, as far as they occur:
- what the user wants, and every instruction, preference and limit that still holds;
- what was done, found out and decided, and why, with names, paths, identifiers, values, commands and error messages exactly as they were;
- what tools were used for, and those of their results that still matter;
- what is unfinished, and the very next step.

Tell facts from guesses, and add nothing that was not said. Use no tool, and answer none of the open questions. Write plain text in the language of the conversation, complete first and short second. Begin at once, without a preamble.`

/** Fields that only control when and how a vendor truncates a conversation. */
const pointless = new Set(['context_management', 'truncation'])

/** The request for a summary of `request`. Tools stay declared, because upstreams require those used in the history. */
export function summaryRequest(request: ConversationRequest): ConversationRequest {
  if (request.turns.length === 0) throw new GatewayError('invalid_value', 'There is no conversation to compact.', { param: 'input' })
  const { maxTokens } = request.output
  const tools = request.tools.filter(({ kind }) => kind === 'function' || kind === 'custom')
  const extensions = Object.entries(request.extensions).map(([dialect, fields]) => [
    dialect,
    Object.fromEntries(Object.entries(fields).filter(([field]) => !pointless.has(field))),
  ])
  return {
    ...request,
    turns: [...request.turns, { role: 'user', parts: [{ kind: 'text', text: instruction }] }],
    tools,
    toolPolicy: { mode: tools.length > 0 ? 'none' : 'auto' },
    output: { ...(maxTokens !== undefined && { maxTokens }), format: { kind: 'text' }, modalities: [], stop: [], n: 1 },
    extensions: Object.fromEntries(extensions),
  }
}

/** The summary as text for the conversation that continues from it. */
export const asWords = (summary: string): string =>
  `The earlier part of this conversation was replaced by the summary below. Go on from it as if you had all of it before you.\n\n<summary>\n${summary.trim()}\n</summary>`
