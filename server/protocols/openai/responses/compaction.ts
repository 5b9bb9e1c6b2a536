/**
 * Compaction in this dialect: a trigger at the end of the input, a dedicated endpoint, and the item that represents what was compacted.
 * Only its maker can read it: a vendor's account, or Parley. Also: other state that an answer creates in its maker's account.
 */
import type { StateRef } from '#canonical/codec'
import type { CompactionCodec } from '#canonical/compaction-codec'
import type { NativePart, Opaque } from '#canonical/conversation'
import { addStateRefs, uniqueRefs } from '#protocols/codec/head'
import { parseExact } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import { writeUsage } from './usage.ts'

type Item = Record<string, unknown>

const typeOf = (item: unknown) => (isObject(item) ? item.type : undefined)

/** An item that asks for compaction, at the end of the input. */
export const isCompactionTrigger = (item: unknown): boolean => typeOf(item) === 'compaction_trigger'

/** State that is bound to the account of its maker, in an item of either direction. */
export function sealedIn(item: Item): Opaque[] {
  const { type, encrypted_content: value } = item
  if (typeof value !== 'string' || value === '') return []
  if (type === 'compaction') return [{ dialect: 'responses', kind: 'compaction', value }]
  return type === 'reasoning' ? [{ dialect: 'responses', kind: 'encrypted', value }] : []
}

/** The state of a compaction item: the one kind of native part that has any. */
export function compactionState(item: Item): Pick<NativePart, 'opaque'> {
  const opaque = item.type === 'compaction' ? sealedIn(item) : []
  return opaque.length > 0 ? { opaque } : {}
}

const isTrigger = (part: { kind: string; raw?: unknown }) => part.kind === 'native' && isCompactionTrigger(part.raw)

/** The caller's own messages, as items of an answer. */
function ownMessages(raw: string, id: () => string): Item[] {
  const { input } = scanObject(raw).value
  const items: unknown[] = typeof input === 'string' ? [{ role: 'user', content: input }] : Array.isArray(input) ? input : []
  return items.flatMap((item) => {
    if (!isObject(item) || item.role !== 'user' || (item.type !== undefined && item.type !== 'message')) return []
    const { content } = item
    const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content
    return [{ id: id(), type: 'message', status: 'completed', role: 'user', content: parts }]
  })
}

/** Compaction by Parley itself, for clients of this dialect. */
export const compaction: CompactionCodec = {
  withoutTrigger(request) {
    const turns = request.turns.map((turn) => ({ ...turn, parts: turn.parts.filter((part) => !isTrigger(part)) }))
    return { ...request, turns: turns.filter(({ parts }) => parts.length > 0) }
  },
  part(sealed, codecContext) {
    const raw = { id: codecContext.id('cmp_'), type: 'compaction', encrypted_content: sealed }
    return { kind: 'native', dialect: 'responses', raw }
  },
  writeWhole(part, { created, usage }, codecContext) {
    return JSON.stringify({
      id: codecContext.id('resp_'),
      object: 'response.compaction',
      created_at: created,
      output: [part.raw],
      usage: writeUsage(usage),
    })
  },
  withMessages(raw, answer, codecContext) {
    const written = parseExact(answer) as { output: unknown[] }
    return JSON.stringify({ ...written, output: [...ownMessages(raw, () => codecContext.id('msg_')), ...written.output] })
  },
}

/** State that the upstream stores of a response: the response itself if stored, its conversation, and what its tools created. */
export function createdIn(response: Record<string, unknown>): { created?: StateRef[] } {
  const created: StateRef[] = []
  if (response.store !== false && typeof response.id === 'string') created.push({ kind: 'response', id: response.id })
  const conversation = isObject(response.conversation) ? response.conversation.id : response.conversation
  if (typeof conversation === 'string') created.push({ kind: 'conversation', id: conversation })
  addStateRefs(response.output, created)
  return created.length > 0 ? { created: uniqueRefs(created) } : {}
}
