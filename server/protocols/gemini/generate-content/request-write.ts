/** The canonical conversation as a generateContent request. The model and the choice of streaming are in the URL. */
import type { Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest, Instruction } from '#canonical/conversation'
import { recordForeign } from '#protocols/codec/extensions'
import { type FieldWriters, leavesOut, lossList, notNeeded, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import type { Body } from '../proto-json.ts'
import type { RequestContext } from './request-write-context.ts'
import { cacheWriters, identityWriters, mostStops, writeConfig, writeTier } from './request-write-settings.ts'
import { type WrittenTools, writeTools } from './request-write-tools.ts'
import { writeContents } from './request-write-turns.ts'

interface Prepared extends RequestContext {
  /** Written first, because calls and results name them. */
  tools: WrittenTools
}

/** Throws GatewayError `unsupported_value` when this upstream cannot take the request; another candidate may. */
export function writeRequest(request: ConversationRequest, target: Target): WrittenRequest {
  const losses = lossList()
  const writing: RequestContext = { request, target, losses }
  recordForeign(request, 'gemini', losses)
  const tools = writeTools(writing)
  const body = writeFields(request, requestWriters, { ...writing, tools })
  const beyond = request.output.stop.slice(mostStops)
  const memo = { ...tools.names.memo(), wrappedTools: tools.wrapped, ...(beyond.length > 0 && { stopHere: beyond }) }
  return { body, headers: {}, losses: losses.losses, memo }
}

/** Every field of a conversation, in the order of the body. */
const requestWriters: FieldWriters<ConversationRequest, Prepared> = {
  instructions: writeInstructions,
  turns: (_, prepared) => ({ contents: writeContents(prepared, prepared.tools.names) }),
  // `tools` and `toolConfig`.
  tools: (_, { tools }) => tools.fields,
  toolPolicy: writtenElsewhere,
  // All three are in `generationConfig`.
  output(_, prepared) {
    const generationConfig = writeConfig(prepared)
    return generationConfig && { generationConfig }
  },
  sampling: writtenElsewhere,
  reasoning: writtenElsewhere,
  tier: writeTier,
  // Whole fields that only this dialect has; the writer of a field restores those inside it.
  extensions: ({ gemini = {} }) => Object.fromEntries(Object.entries(gemini).filter(([name]) => !name.includes('.'))),
  cache: (cache, prepared) => writeFields(cache, cacheWriters, prepared),
  identity: (identity, prepared) => writeFields(identity, identityWriters, prepared),
  // recordForeign records these losses.
  unread: writtenElsewhere,
  // In the address.
  model: notNeeded,
  stream: notNeeded,
  // About the caller, not about the question.
  dialect: notNeeded,
  usageAsked: notNeeded,
  paths: notNeeded,
}

const instructionWriters: FieldWriters<Instruction, RequestContext> = {
  text: (text) => ({ text }),
  role(role, { losses }) {
    if (role === 'developer') losses.adapted('instructions.role', 'The upstream has one kind of instructions.')
  },
  cache: leavesOut('cache', 'The upstream takes no cache breakpoints.'),
  // All instructions are in one field here.
  item: notNeeded,
}

function writeInstructions(instructions: readonly Instruction[], prepared: Prepared): Body | undefined {
  const written = instructions.map((instruction) => writeFields(instruction, instructionWriters, prepared))
  const parts = written.filter(({ text }) => text !== '')
  return parts.length > 0 ? { systemInstruction: { parts } } : undefined
}
