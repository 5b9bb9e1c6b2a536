/**
 * Sealed envelopes: how state of one dialect travels in another dialect's slot. An envelope opens only for the tenant it was
 * made for; to everybody else, the client included, it is as opaque as the state itself.
 */
import type { Opaque } from '#canonical/conversation'
import type { Sealer } from '#runtime/secrets'
import type { Dialect } from '#shared/ids'

export interface Envelopes {
  /** State as the slot's own: in an envelope, unless it is of that dialect already. */
  wrap(tenant: string, slot: Dialect, opaque: Opaque): Opaque
  /** What was wrapped for this tenant; undefined for an envelope that does not open; what is no envelope comes back as it is. */
  unwrap(tenant: string, opaque: Opaque): Opaque | undefined
}

const mark = 'gw1.'
/** How `mark` begins in base64, whatever follows it. */
const markInBase64 = 'Z3cxL'

export function createEnvelopes(sealer: Sealer): Envelopes {
  const identity = (tenant: string) => JSON.stringify(['vault envelope', tenant])
  return {
    wrap(tenant, slot, opaque) {
      if (opaque.dialect === slot) return opaque
      const text = mark + urlSafe(sealer.seal(JSON.stringify(opaque), identity(tenant)))
      return { dialect: slot, kind: kindIn(slot, opaque.kind), value: slot === 'gemini' ? base64(text) : text }
    },
    unwrap(tenant, opaque) {
      const sealed = sealedIn(opaque.value)
      if (sealed === undefined) return opaque
      try {
        // Only this room seals with this identity, so the text is an Opaque.
        return JSON.parse(sealer.open(sealed, identity(tenant))) as Opaque
      } catch {
        return undefined
      }
    },
  }
}

/** The sealed text of an envelope; undefined when the value is none. */
function sealedIn(value: string): string | undefined {
  const text = value.startsWith(markInBase64) ? Buffer.from(value, 'base64').toString() : value
  return text.startsWith(mark) ? standard(text.slice(mark.length)) : undefined
}

/** Gemini's slot is bytes: typed clients decode it and encode it again, so the value must be base64, of either alphabet. */
const base64 = (text: string) => Buffer.from(text).toString('base64')

const urlSafe = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const standard = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/')

/** The kind that a writer of the slot's dialect looks for. Chat has a place for every kind; some kinds have one everywhere. */
function kindIn(slot: Dialect, kind: Opaque['kind']): Opaque['kind'] {
  if (kind === 'compaction' || kind === 'citation-index') return kind
  switch (slot) {
    case 'messages':
      return kind === 'redacted' ? kind : 'signature'
    case 'responses':
      return 'encrypted'
    case 'gemini':
      return 'thought-signature'
    case 'chat':
    case 'completions':
      return kind
  }
}

/** Might this JSON text hold an envelope as a value? Cheap, and never a false no. */
export const mayHoldEnvelope = (json: string): boolean => json.includes(`"${mark}`) || json.includes(`"${markInBase64}`)
