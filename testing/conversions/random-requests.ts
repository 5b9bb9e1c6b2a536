/** Random requests that combine several features that a dialect can express. */
import type { ConversationRequest, Part, Turn } from '#canonical/conversation'
import type { Dialect } from '#shared/ids'
import type { Seeded } from '#testing/seeded'
import { conversation, text, user } from './conversation.ts'
import { type RequestFeature, shown } from './feature.ts'
import { requestFeatures, sayable } from './loss-matrix.ts'

/** A request and how it was built. */
export interface RandomRequest {
  request: ConversationRequest
  /** The features that it has. */
  features: RequestFeature[]
}

/** Features that can be combined: not those with a body of their own, and not those that must be the last turn. */
export const combinable = (dialect: Dialect): RequestFeature[] =>
  requestFeatures.filter(
    (feature) => !feature.body && !alone.has(feature.name) && Object.keys(feature.fields(dialect)).length > 0 && sayable(feature, dialect),
  )

const alone = new Set([
  'begun answer',
  'answer before any question',
  'system message in the middle',
  'empty message',
  'several turns',
  'text after a call',
])

/** Builds a random request from these features. */
export function randomRequest(dialect: Dialect, features: readonly RequestFeature[], random: Seeded): RandomRequest {
  const chosen: RequestFeature[] = []
  let request = conversation({ dialect, turns: [] })
  for (let count = 1 + random.below(6); count > 0; count--) {
    const feature = random.pick(features as [RequestFeature])
    const more = feature.fields(dialect)
    if (clashes(request, more)) continue
    request = merged(request, more)
    chosen.push(feature)
  }
  const last = user(text(`last ${random.below(1000)} 日本🎉`))
  // Completions continues one text.
  const turns = dialect === 'completions' && request.turns.length > 0 ? request.turns.slice(0, 1) : [...request.turns, last]
  return { request: { ...request, turns }, features: chosen }
}

/** Whether a field that allows one value would be set twice. */
function clashes(request: ConversationRequest, more: Partial<ConversationRequest>): boolean {
  const plain = conversation({ turns: [] })
  return Object.keys(more).some((key) => {
    if (key === 'turns') return [isCall, isMedia].some((kind) => holds(request.turns, kind) && holds(more.turns ?? [], kind))
    const field = key as keyof ConversationRequest
    return key !== 'toolPolicy' && JSON.stringify(request[field]) !== JSON.stringify(plain[field])
  })
}

const holds = (turns: readonly Turn[], kind: (part: Part) => boolean) => turns.some((turn) => turn.parts.some(kind))
const isCall = (part: Part) => part.kind === 'call' || part.kind === 'result'
const isMedia = (part: Part) => part.kind === 'media'

const merged = (request: ConversationRequest, more: Partial<ConversationRequest>): ConversationRequest => ({
  ...request,
  ...more,
  turns: [...request.turns, ...(more.turns ?? [])],
})

/** Who said what, in order, regardless of the division into turns. */
export function transcript(request: ConversationRequest): unknown[] {
  const lines = request.turns.flatMap(({ role, parts }) => parts.map((part) => [part.kind === 'result' ? 'tool' : role, ...line(part)]))
  return lines.filter(([, kind]) => kind === 'text' || kind === 'call' || kind === 'result')
}

const line = (part: Part): unknown[] => {
  if (part.kind === 'call') return [part.kind, part.callId, part.name]
  return part.kind === 'result' ? [part.kind, part.callId] : [part.kind, shown(part)]
}
