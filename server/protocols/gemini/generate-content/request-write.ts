/** The canonical conversation as a generateContent request. The model and the wish for a stream stand in the address. */
import type { Target, WrittenRequest } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import { recordForeign } from '#canonical/extensions'
import { lossList } from '#canonical/loss'
import type { Body } from '../proto-json.ts'
import { writeContents } from './contents-write.ts'
import { writeSettings } from './settings-write.ts'
import { writeTools } from './tools-write.ts'
import type { Writing } from './writing.ts'

/** Throws GatewayError `unsupported_value` when this upstream cannot be asked this. */
export function writeRequest(request: ConversationRequest, target: Target): WrittenRequest {
  const losses = lossList()
  const writing: Writing = { request, target, losses }
  recordForeign(request, 'gemini', losses)
  const { fields, names, wrapped } = writeTools(writing)
  const body: Body = {
    ...writeInstructions(writing),
    contents: writeContents(writing, names),
    ...fields,
    ...writeSettings(writing),
    ...restored(request),
  }
  noteIdentity(writing)
  return { body, headers: {}, losses: losses.losses, memo: { ...names.memo(), wrappedTools: wrapped } }
}

/** Whole fields that only this dialect knows; those inside another field are restored by its writer. */
function restored({ extensions }: ConversationRequest): Body {
  return Object.fromEntries(Object.entries(extensions.gemini ?? {}).filter(([name]) => !name.includes('.')))
}

function writeInstructions({ request: { instructions }, losses }: Writing): Body {
  const parts = instructions.filter(({ text }) => text !== '').map(({ text }) => ({ text }))
  if (instructions.some(({ role }) => role === 'developer'))
    losses.adapted('instructions.role', 'The upstream has one kind of instructions.')
  if (instructions.some(({ cache }) => cache)) losses.forgotten('cache', 'The upstream takes no cache breakpoints.')
  return parts.length > 0 ? { systemInstruction: { parts } } : {}
}

function noteIdentity({ request: { cache, identity }, losses }: Writing): void {
  if (cache.key !== undefined) losses.forgotten('cache.key', 'The upstream finds its cache by the prompt itself.')
  if (identity.endUser !== undefined) losses.forgotten('identity.endUser', 'The upstream takes no end user.')
  if (identity.metadata) losses.forgotten('identity.metadata', 'The upstream takes no metadata.')
}
