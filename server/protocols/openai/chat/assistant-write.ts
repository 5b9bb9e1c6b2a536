/** What the model said and asked for in an earlier turn, as one Chat message: text first, then its calls. */
import type { CallPart, ReasoningPart, Turn } from '#canonical/conversation'
import type { ToolNames } from '#canonical/tool-names'
import { wrapInput } from '#canonical/wrapped-tool'
import type { Body } from '../fields.ts'
import type { CallIds } from './call-ids.ts'
import { type Writing, writeCache, writeNative } from './part-write.ts'
import { isOwn, joined, writeDetails, writeExtraContent } from './reasoning.ts'

interface Asking extends Writing {
  names: ToolNames
  ids: CallIds
}

/** Undefined when nothing of the turn can be said here. `calls` are the canonical ids that now want a result. */
export function writeAssistant(turn: Turn, writing: Asking): { message: Body; calls: string[] } | undefined {
  const texts = textsOf(turn, writing)
  const refusals = turn.parts.filter((part) => part.kind === 'refusal').map((part) => part.text)
  const audio = turn.parts.find((part) => part.kind === 'media' && 'fileId' in part.source && part.source.dialect === 'chat')
  const audioId = audio?.kind === 'media' && 'fileId' in audio.source ? audio.source.fileId : undefined
  const calls = turn.parts.filter((part) => part.kind === 'call')
  const isEmpty = texts.length + refusals.length + calls.length === 0 && audioId === undefined
  if (isEmpty && turn.parts.length > 0) return undefined

  const refusal = refusals.join('\n\n')
  const message: Body = {
    role: 'assistant',
    // The one thing that may stand alone without text, calls or audio is a refusal in its part.
    content: contentOf(texts, calls.length > 0 || audioId !== undefined, texts.length === 0 ? refusal : ''),
    ...(texts.length + calls.length > 0 && refusal !== '' && { refusal }),
    ...(turn.name !== undefined && { name: turn.name }),
    ...(audioId !== undefined && { audio: { id: audioId } }),
    ...writeThoughts(turn, writing),
    ...(calls.length > 0 && { tool_calls: calls.map((call, index) => writeCall(call, index, calls, writing)) }),
  }
  return { message, calls: calls.map((call) => call.callId) }
}

function contentOf(texts: Body[], mayBeNull: boolean, refusal: string): unknown {
  const [only, ...others] = texts
  if (only === undefined) return refusal !== '' && !mayBeNull ? [{ type: 'refusal', refusal }] : mayBeNull ? null : ''
  return others.length === 0 && Object.keys(only).length === 2 && only.type === 'text' ? only.text : texts
}

function textsOf(turn: Turn, writing: Writing): Body[] {
  const texts: Body[] = []
  let sawCall = false
  for (const part of turn.parts) {
    if (part.kind === 'call') sawCall = true
    const text = textOf(part, writing)
    if (!text) continue
    if (sawCall) writing.losses.adapted('turns.order', 'Text after a tool call stands before it.')
    texts.push(text)
  }
  return texts
}

function textOf(part: Turn['parts'][number], writing: Writing): Body | undefined {
  if (part.kind === 'native') return writeNative(part, writing)
  if (part.kind === 'text') {
    if (part.phase) writing.losses.forgotten('turns.phase', 'The upstream tells no remarks from answers.')
    if (part.citations?.length) writing.losses.forgotten('turns.citations', 'The upstream takes no citations back.')
    return { type: 'text', text: part.text, ...writeCache(part.cache, writing) }
  }
  if (part.kind !== 'media' || ('fileId' in part.source && part.source.dialect === 'chat')) return undefined
  if (part.transcript !== undefined) {
    writing.losses.adapted('turns.media', 'Audio of the model became its transcript.')
    return { type: 'text', text: part.transcript }
  }
  writing.losses.dropped('turns.media', 'The upstream takes no media in an assistant message.')
  return undefined
}

/** State goes back to its maker; the bare text only to models that want it. */
function writeThoughts(turn: Turn, { target, losses }: Writing): Body {
  const thoughts: ReasoningPart[] = turn.parts.filter((part) => part.kind === 'reasoning')
  if (thoughts.length === 0) return {}
  const details = writeDetails(thoughts)
  const text = target.capabilities.reasoningEchoed ? joined(thoughts) : ''
  if (!details && text === '') losses.forgotten('turns.reasoning', 'The upstream takes no earlier reasoning.')
  return { ...(details && { reasoning_details: details }), ...(text !== '' && { reasoning_content: text }) }
}

function writeCall(call: CallPart, index: number, calls: readonly CallPart[], writing: Asking): Body {
  const name = writing.names.out(call.name, call.namespace)
  const isText = call.form === 'text'
  const isWrapped = isText && writing.target.capabilities.customToolsRefused === true
  const argsText = isWrapped ? wrapInput(call.argsText) : call.argsText
  return {
    id: writing.ids.out(call.callId),
    ...(isText && !isWrapped
      ? { type: 'custom', custom: { name, input: argsText } }
      : { type: 'function', function: { name, arguments: argsText === '' ? '{}' : argsText } }),
    ...thoughtSignature(call, index, calls, writing),
  }
}

/** Google's layer refuses a step whose first call has no signature; its documents name the word that stands in for a lost one. */
function thoughtSignature(call: CallPart, index: number, calls: readonly CallPart[], { target, losses }: Writing): Body {
  const isSigned = calls.some((one) => one.opaque?.some((state) => isOwn(state) && state.kind === 'thought-signature'))
  if (!target.capabilities.thoughtSignatureRequired || isSigned || index > 0) return writeExtraContent(call.opaque)
  losses.adapted('turns.thoughtSignature', 'The state of the model’s reasoning is lost: a placeholder stands in.')
  return { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } }
}
