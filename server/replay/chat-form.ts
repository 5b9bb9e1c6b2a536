/** A stored conversation as a chat request, the format of the playground. Pure. */

import type { KeptRecord } from '#bodies/record'
import type { Loss } from '#canonical/loss'
import { conversationCodecs } from '#protocols/index'
import { wordingOf } from '#protocols/wordings'
import type { KeptBody } from '#shared/console/body'
import { parseExact } from '#shared/exact-numbers'
import { endpointOf, type Spoken, spokenAt } from './spoken.ts'

/** Most bytes of a body to read here; a larger one would block other requests. */
const mostBytes = 1024 * 1024

/** Undefined if it is not a conversation, was not stored whole, or is too long to be read here. */
export function chatFormOf({ parts }: KeptRecord): KeptBody['chat'] {
  const part = parts.find(({ border }) => border === 'client-request')
  if (!part || part.leftOut || part.broken !== undefined || part.body.byteLength > mostBytes) return undefined
  const { path, named: deployed } = endpointOf(part.address ?? '')
  const spoken = spokenAt(path)
  if (!spoken) return undefined
  const { dialect } = spoken
  const came = Buffer.from(part.body.buffer, part.body.byteOffset, part.body.byteLength).toString('utf8')
  try {
    const { text, losses: before } = chatAnswerIn(spoken, came, path)
    if (dialect === 'chat')
      return { body: { ...(parseExact(text) as object), ...(deployed !== undefined && { model: deployed }) }, losses: lossesOf(before) }
    const codec = conversationCodecs[dialect]
    // Only Gemini's codec reads it: the model and the action.
    const named = decodeURIComponent(path.replace(/^\/v1(?:beta)?\/models\//, ''))
    const { model, stream } = codec.readHead(text, named)
    const { body, losses } = conversationCodecs.chat.writeRequest(codec.readRequest(text, named), { model, stream, capabilities: {} })
    return { body, losses: lossesOf([...before, ...losses]) }
  } catch {
    return undefined
  }
}

/** In its dialect, with the model that its address names. */
function chatAnswerIn({ wording }: Spoken, came: string, path: string): { text: string; losses: readonly Loss[] } {
  if (!wording) return { text: came, losses: [] }
  const { body, losses } = wordingOf(wording).readRequest(came)
  const [, model] = /^\/model\/([^/]+)\//.exec(path) ?? []
  return {
    text: model === undefined ? body : JSON.stringify({ ...(parseExact(body) as object), model: decodeURIComponent(model) }),
    losses,
  }
}

const lossesOf = (losses: readonly Loss[]) => losses.map(({ field, what, reason }) => ({ field, what, reason }))
