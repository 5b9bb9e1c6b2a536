/**
 * Turns as `contents`: two roles that alternate, all results of a turn's calls together and in the order of the calls, and a thought
 * signature on the first call of every step if the model requires one.
 */
import type { CallPart, Part, Turn } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, leavesOut, notNeeded, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import type { ToolNames } from '#protocols/codec/tool-names'
import type { Body } from '../proto-json.ts'
import type { RequestContext } from './request-write-context.ts'
import { type PartContext, resultPart, writePart } from './request-write-parts.ts'

interface Step {
  role: 'user' | 'model'
  parts: Part[]
  path: string | undefined
}

/** `contents`. Throws GatewayError `unsupported_value` for a conversation that this upstream refuses. */
export function writeContents(writing: RequestContext, names: ToolNames): Body[] {
  const { request, losses, target } = writing
  const steps = stepsOf(writing)
  const [first] = steps
  if (!first) throw cannotCarry(request, 'turns', 'The upstream needs at least one message.')
  if (first.role === 'model') throw cannotCarry(request, 'turns', 'The upstream needs a user’s message before the model’s.', first.path)
  if (steps.at(-1)?.role === 'model') {
    if (target.capabilities.prefillRefused === true) throw cannotCarry(request, 'turns', 'The model does not continue a message.')
    if (request.dialect !== 'gemini') losses.adapted('turns.prefill', 'The upstream does not promise to continue a message.')
  }
  return steps.map((step, index) => writeStep(step, steps[index - 1], { ...writing, names }))
}

const turnWriters: FieldWriters<Turn, RequestContext> = {
  name: leavesOut('turns.name', 'The upstream takes no names in a conversation.'),
  // A system turn becomes marked text, `developer` or not.
  developer: notNeeded,
  role: writtenElsewhere,
  parts: writtenElsewhere,
  path: writtenElsewhere,
}

/** Adjacent turns of one role are merged; empty ones are left out. */
function stepsOf(writing: RequestContext): Step[] {
  const { request } = writing
  const steps: Step[] = []
  for (const turn of request.turns) {
    writeFields(turn, turnWriters, writing)
    const role = turn.role === 'assistant' ? 'model' : 'user'
    const parts = partsOf(turn, writing)
    if (parts.length === 0 && turn.role === 'assistant') continue
    if (parts.length === 0 && turn.role === 'user') throw cannotCarry(request, 'turns', 'The upstream takes no empty message.', turn.path)
    const last = steps.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else if (parts.length > 0) steps.push({ role, parts, path: turn.path })
  }
  return steps
}

function partsOf(turn: Turn, { losses }: RequestContext): Part[] {
  const parts = turn.parts.filter((part) => part.kind !== 'text' || part.text !== '' || (part.opaque?.length ?? 0) > 0)
  if (turn.role !== 'system') return parts
  losses.adapted('turns.system', 'Instructions inside the conversation are marked as such in a message.')
  return parts.map((part) => (part.kind === 'text' ? { kind: 'text', text: `<system>${part.text}</system>` } : part))
}

function writeStep(step: Step, before: Step | undefined, writing: PartContext): Body {
  checkAnswered(step, before, writing)
  const calls = callsOf(before)
  const order = new Map(calls.map(({ callId }, index) => [callId, index]))
  const results = step.parts
    .filter((part) => part.kind === 'result')
    .sort((a, b) => (order.get(a.callId) ?? 0) - (order.get(b.callId) ?? 0))
    .map((part) =>
      resultPart(
        part,
        calls.find(({ callId }) => callId === part.callId),
        writing,
      ),
    )
  const hoisted = results.flatMap(({ media }) => media)
  const others = step.parts.filter((part) => part.kind !== 'result').flatMap((part) => writePart(part, writing))
  const parts = [...results.map(({ body }) => body), ...hoisted, ...others]
  return { role: step.role, parts: step.role === 'model' ? withSentinel(parts, writing) : parts }
}

const callsOf = (step: Step | undefined): CallPart[] => (step?.role === 'model' ? step.parts.filter((part) => part.kind === 'call') : [])

/** Every call has its result in the next step, and every result its call before it: all vendors refuse anything else. */
function checkAnswered(step: Step, before: Step | undefined, { request }: PartContext): void {
  const wanted = new Set(callsOf(before).map(({ callId }) => callId))
  for (const part of step.parts) {
    if (part.kind !== 'result') continue
    if (!wanted.delete(part.callId)) throw cannotCarry(request, 'turns', 'A tool’s result needs its call before it.', step.path)
  }
  if (wanted.size > 0) throw cannotCarry(request, 'turns', 'A call of a tool needs its result after it.', before?.path)
}

/** Google's own placeholder for a call without a signature, because another model made it. */
const sentinel = 'skip_thought_signature_validator'

/** Calls made at once carry one signature, on the first. */
function withSentinel(parts: Body[], { target, losses }: PartContext): Body[] {
  const first = parts.findIndex((part) => part.functionCall !== undefined)
  const call = parts[first]
  if (!call || call.thoughtSignature !== undefined || target.capabilities.thoughtSignatureRequired !== true) return parts
  losses.adapted('turns.thoughtSignature', 'A call without its signature has a placeholder that the model accepts.')
  return parts.with(first, { ...call, thoughtSignature: sentinel })
}
