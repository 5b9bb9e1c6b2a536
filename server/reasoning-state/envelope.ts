/**
 * Sealed envelopes carry one dialect's state in another dialect's slot. An envelope opens only for its tenant; to everybody else,
 * including the client, it is as opaque as the state itself.
 */
import type { Opaque } from '#canonical/conversation'
import { envelopeMark, envelopeMarkInBase64, envelopeMarks } from '#canonical/marks'
import type { Sealer } from '#runtime/secrets'
import type { Dialect } from '#shared/ids'

/** Wraps and unwraps state. */
export interface Envelopes {
  /** State for a slot of this dialect: in an envelope, unless it is of that dialect already. */
  wrap(tenant: string, slot: Dialect, opaque: Opaque): Opaque
  /** The wrapped state; undefined for an envelope that does not open for this tenant; anything else is returned unchanged. */
  unwrap(tenant: string, opaque: Opaque): Opaque | undefined
}

/** Envelopes sealed with this sealer. */
export function createEnvelopes(sealer: Pick<Sealer, 'seal' | 'open'>): Envelopes {
  const identity = (tenant: string) => JSON.stringify(['vault envelope', tenant])
  return {
    wrap(tenant, slot, opaque) {
      if (opaque.dialect === slot) return opaque
      const text = envelopeMark + urlSafe(sealer.seal(JSON.stringify(opaque), identity(tenant)))
      return { dialect: slot, kind: kindIn(slot, opaque.kind), value: slot === 'gemini' ? base64(text) : text }
    },
    unwrap(tenant, opaque) {
      const sealed = sealedIn(opaque.value)
      if (sealed === undefined) return opaque
      try {
        // Only this module seals with this identity, so the text is an Opaque.
        return JSON.parse(sealer.open(sealed, identity(tenant))) as Opaque
      } catch {
        return undefined
      }
    },
  }
}

/** The sealed text of an envelope; undefined when the value is not one. */
function sealedIn(value: string): string | undefined {
  const text = value.startsWith(envelopeMarkInBase64) ? Buffer.from(value, 'base64').toString() : value
  return text.startsWith(envelopeMark) ? standard(text.slice(envelopeMark.length)) : undefined
}

/** Gemini's slot holds bytes, which typed clients decode and encode again, so the value must be base64, of either alphabet. */
const base64 = (text: string) => Buffer.from(text).toString('base64')

const urlSafe = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const standard = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/')

/** The kind that a writer of the slot's dialect expects. Chat has a slot for every kind; some kinds have one in every dialect. */
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

/** True when this JSON text may contain an envelope as a value. Cheap; no false negatives. */
export const mayHoldEnvelope = (json: string): boolean => envelopeMarks.some((mark) => json.includes(`"${mark}`))
