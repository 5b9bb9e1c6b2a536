/**
 * A conversation as a Messages request, in the version that still takes sampling fields. What the dialect cannot express is refused or
 * recorded as a loss.
 */
import type { Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest, Instruction } from '#canonical/conversation'
import { recordForeign } from '#protocols/codec/extensions'
import { type FieldWriters, notNeeded, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import type { Json } from '../frame.ts'
import { type RequestContext, requestContext } from './request-write-context.ts'
import { cacheWriters, identityWriters, writeFormat, writeLimit, writeOutput, writeSampling, writeTier } from './request-write-settings.ts'
import { type Thinking, writeThinking } from './request-write-thinking.ts'
import { isForcing, type WrittenChoice, writeChoice, writeTools } from './request-write-tools.ts'
import { lostThinking, type Message, writeTurns } from './request-write-turns.ts'

/** The older of the vendor's two versions: the newer one refuses sampling fields that clients of other dialects send. */
const version = '2023-06-01'

/** What several fields of the body depend on, computed before the body is put together. */
interface Prepared extends RequestContext {
  output: Json
  tools: Json[]
  choice: WrittenChoice
  system: unknown
  messages: Message[]
  maxTokens: number
  thinking: Thinking
  format: Json | undefined
}

/** Throws GatewayError `unsupported_value` when this upstream cannot take the request; another candidate may. */
export function writeRequest(request: ConversationRequest, target: Target): WrittenRequest {
  const context = requestContext(request, target)
  const { losses, names } = context
  const body = writeFields(request, requestWriters, prepare(context))
  const wrappedTools = request.tools.filter((tool) => tool.kind === 'custom').map(({ name }) => name)
  return { body, headers: { 'anthropic-version': version }, losses: losses.losses, memo: { ...names.memo(), wrappedTools } }
}

function prepare(context: RequestContext): Prepared {
  const output = writeOutput(context)
  recordForeign(context.request, 'messages', context.losses)
  const tools = writeTools(context)
  const choice = writeChoice(context, tools)
  const system = writeSystem(context, choice.instruction)
  const messages = writeTurns(context.request.turns, context)
  const maxTokens = writeLimit(context)
  const thinking = writeThinking(context, {
    maxTokens,
    forcing: isForcing(context, tools),
    lost: lostThinking(messages),
    begun: messages.at(-1)?.role === 'assistant',
  })
  return { ...context, output, tools, choice, system, messages, maxTokens, thinking, format: writeFormat(context) }
}

/** Every field of a conversation, in the order of the body. */
const requestWriters: FieldWriters<ConversationRequest, Prepared> = {
  // Fields that came from this dialect and have no other place. Dotted names only record that something was in a block.
  extensions: ({ messages = {} }) => Object.fromEntries(Object.entries(messages).filter(([key]) => !key.includes('.'))),
  model: (_, { target }) => ({ model: target.model }),
  output: (_, { maxTokens, output }) => ({ max_tokens: maxTokens, ...output }),
  instructions: (_, { system }) => (system === undefined ? undefined : { system }),
  turns: (_, { messages }) => ({ messages: messages.map(({ role, content }) => ({ role, content: plain(content) })) }),
  tools: (_, { tools }) => (tools.length > 0 ? { tools } : undefined),
  toolPolicy: (_, { choice }) => choice.choice && { tool_choice: choice.choice },
  reasoning: (_, { thinking: { thinking, effort }, format }) => ({
    ...(thinking && { thinking }),
    ...((effort || format) && { output_config: { ...(effort && { effort }), ...(format && { format }) } }),
  }),
  sampling: (_, context) => writeSampling(context, context.thinking.isOn),
  tier: writeTier,
  cache: (cache, context) => writeFields(cache, cacheWriters, context),
  identity: (identity, context) => writeFields(identity, identityWriters, context),
  stream: (_, { target }) => ({ stream: target.stream }),
  // recordForeign records these losses.
  unread: writtenElsewhere,
  // About the caller, not about the question.
  dialect: notNeeded,
  usageAsked: notNeeded,
  paths: notNeeded,
}

/** A single plain text is written as a string, as clients usually do. */
function plain(content: Json[]): unknown {
  const [first] = content
  return content.length === 1 && first?.type === 'text' && Object.keys(first).length === 2 ? first.text : content
}

const instructionWriters: FieldWriters<Instruction, RequestContext> = {
  role(role, { losses }) {
    if (role === 'developer') losses.adapted('instructions.role', 'Developer instructions are system instructions here.')
    return { type: 'text' }
  },
  text: (text) => ({ text }),
  cache: (mark, { marked }) => marked(mark),
  // All instructions are in one field here.
  item: notNeeded,
}

/** The field `system`; `instruction` replaces a tool choice that cannot be enforced. Undefined when empty. */
function writeSystem(context: RequestContext, instruction: string | undefined): unknown {
  const { request, losses } = context
  const blocks = request.instructions.filter(({ text }) => text !== '').map((one): Json => writeFields(one, instructionWriters, context))
  if (request.output.format.kind === 'json') {
    losses.dropped('output.format', 'This upstream has no JSON mode; the prompt asks for JSON instead.')
    blocks.push({ type: 'text', text: 'Answer with one valid JSON object and nothing else: no code fence, no words around it.' })
  }
  if (instruction !== undefined) blocks.push({ type: 'text', text: instruction })
  return blocks.length === 0 ? undefined : plain(blocks)
}
