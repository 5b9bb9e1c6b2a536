/** A kept conversation as a chat request, which is what the playground asks. Values in, values out. */
import type { KeptRecord } from '#bodies/record'
import { conversationCodecs } from '#protocols/index'
import type { KeptBody } from '#shared/console/body'
import { dialectOf, doorOf } from './prepare.ts'

/** Bytes of a body that is read here; a larger one would hold up everybody else. */
const mostBytes = 1024 * 1024

/** Undefined for what is no conversation, was not kept whole, or is too long to be read here. */
export function chatFormOf({ parts }: KeptRecord): KeptBody['chat'] {
  const part = parts.find(({ border }) => border === 'client-request')
  if (!part || part.leftOut || part.broken !== undefined || part.body.byteLength > mostBytes) return undefined
  const { path, named: deployed } = doorOf(part.address ?? '')
  const dialect = dialectOf(path)
  if (!dialect) return undefined
  const text = Buffer.from(part.body.buffer, part.body.byteOffset, part.body.byteLength).toString('utf8')
  try {
    if (dialect === 'chat') return { body: { ...JSON.parse(text), ...(deployed !== undefined && { model: deployed }) }, losses: [] }
    const codec = conversationCodecs[dialect]
    // Only Gemini's codec reads it: the model and the action.
    const named = decodeURIComponent(path.replace(/^\/v1(?:beta)?\/models\//, ''))
    const { model, stream } = codec.readHead(text, named)
    const { body, losses } = conversationCodecs.chat.writeRequest(codec.readRequest(text, named), { model, stream, capabilities: {} })
    return { body, losses: losses.map(({ field, what, reason }) => ({ field, what, reason })) }
  } catch {
    return undefined
  }
}
