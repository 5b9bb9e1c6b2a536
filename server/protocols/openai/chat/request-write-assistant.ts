/** An earlier turn of the model as one Chat message: text first, then its calls. */
import type { CallPart, MediaPart, Part, ReasoningPart, RefusalPart, Turn } from '#canonical/conversation'
import {
  type FieldWriters,
  type KindWriters,
  notNeeded,
  type WrittenFields,
  writeFields,
  writeKind,
  writtenElsewhere,
} from '#protocols/codec/field-writers'
import type { ToolNames } from '#protocols/codec/tool-names'
import { wrapInput } from '#protocols/codec/wrapped-tool'
import type { Body } from '../fields.ts'
import { isOwn, joined, writeDetails, writeExtraContent } from './reasoning.ts'
import type { CallIds } from './request-write-parts.ts'
import { type Writing, writeNative, writeText } from './request-write-parts.ts'

interface Asking extends Writing {
  names: ToolNames
  ids: CallIds
}

/** The parts of a turn, sorted by their place in the message. */
interface Draft extends Asking {
  texts: Body[]
  refusals: string[]
  audioId: string | undefined
  thoughts: ReasoningPart[]
  calls: CallPart[]
}

/** Undefined when nothing of the turn can be expressed here. `calls`: canonical ids that now need a result. */
export function writeAssistant(turn: Turn, writing: Asking): { message: Body; calls: string[] } | undefined {
  const draft: Draft = { ...writing, texts: [], refusals: [], audioId: undefined, thoughts: [], calls: [] }
  for (const part of turn.parts) writeKind(part, partWriters, draft)
  const { texts, refusals, audioId, calls } = draft
  const isEmpty = texts.length + refusals.length + calls.length === 0 && audioId === undefined
  if (isEmpty && turn.parts.length > 0) return undefined

  const refusal = refusals.join('\n\n')
  const message: Body = {
    role: 'assistant',
    // Only a refusal may be alone, without text, calls or audio; it is then a part of the content.
    content: contentOf(texts, calls.length > 0 || audioId !== undefined, texts.length === 0 ? refusal : ''),
    ...(texts.length + calls.length > 0 && refusal !== '' && { refusal }),
    ...(turn.name !== undefined && { name: turn.name }),
    ...(audioId !== undefined && { audio: { id: audioId } }),
    ...writeThoughts(draft.thoughts, writing),
    ...(calls.length > 0 && { tool_calls: calls.map((call, index) => writeCall(call, { ...writing, index, calls })) }),
  }
  return { message, calls: calls.map((call) => call.callId) }
}

const partWriters: KindWriters<Part, Draft, void> = {
  text: (part, draft) => addText(writeText(part, draft), draft),
  native: (part, draft) => addText(writeNative(part, draft), draft),
  media: addMedia,
  refusal: ({ text }: WrittenFields<RefusalPart, { text: 'written' }>, draft) => draft.refusals.push(text),
  reasoning: (part, draft) => draft.thoughts.push(part),
  call: (part, draft) => draft.calls.push(part),
  // Results are in turns of their own.
  result: () => undefined,
}

function addText(text: Body | undefined, { texts, calls, losses }: Draft): void {
  if (!text) return
  if (calls.length > 0) losses.adapted('turns.order', 'Text after a tool call was moved before it.')
  texts.push(text)
}

/** Other media of the model are lost whole. */
type Spoken = WrittenFields<
  MediaPart,
  {
    source: 'written'
    transcript: 'written'
    media: 'notNeeded'
    mimeType: 'notNeeded'
    name: 'notNeeded'
    title: 'notNeeded'
    detail: 'notNeeded'
    cache: 'notNeeded'
    opaque: 'notNeeded'
    extra: 'notNeeded'
    path: 'notNeeded'
  }
>

/** Audio is sent back by the id that this dialect gave it, other audio as its transcript. */
function addMedia({ source, transcript }: Spoken, draft: Draft): void {
  if ('fileId' in source && source.dialect === 'chat') draft.audioId ??= source.fileId
  else if (transcript !== undefined) {
    draft.losses.adapted('turns.media', 'Audio of the model became its transcript.')
    addText({ type: 'text', text: transcript }, draft)
  } else draft.losses.dropped('turns.media', 'The upstream takes no media in an assistant message.')
}

function contentOf(texts: Body[], mayBeNull: boolean, refusal: string): unknown {
  const [only, ...others] = texts
  if (only === undefined) return refusal !== '' && !mayBeNull ? [{ type: 'refusal', refusal }] : mayBeNull ? null : ''
  return others.length === 0 && Object.keys(only).length === 2 && only.type === 'text' ? only.text : texts
}

/** State is sent back to its maker; the plain text only to models that want it. */
function writeThoughts(thoughts: readonly ReasoningPart[], { target, losses }: Writing): Body {
  if (thoughts.length === 0) return {}
  const details = writeDetails(thoughts)
  const text = target.capabilities.reasoningEchoed ? joined(thoughts) : ''
  if (!details && text === '') losses.leftOut('turns.reasoning', 'The upstream takes no earlier reasoning.')
  return { ...(details && { reasoning_details: details }), ...(text !== '' && { reasoning_content: text }) }
}

/** One of the calls of a message. */
interface CallPlace extends Asking {
  index: number
  calls: readonly CallPart[]
}

const writeCall = (call: CallPart, place: CallPlace): Body => ({
  ...writeFields(call, callWriters, place),
  ...thoughtSignature(call, place),
})

const callWriters: FieldWriters<CallPart, CallPlace> = {
  callId: (callId, { ids }) => ({ id: ids.out(callId) }),
  form: (form, { names, target }, { name, namespace, argsText }) => {
    const upstreamName = names.out(name, namespace)
    if (form === 'json') return { type: 'function', function: { name: upstreamName, arguments: argsText === '' ? '{}' : argsText } }
    return target.capabilities.customToolsRefused === true
      ? { type: 'function', function: { name: upstreamName, arguments: wrapInput(argsText) } }
      : { type: 'custom', custom: { name: upstreamName, input: argsText } }
  },
  name: writtenElsewhere,
  namespace: writtenElsewhere,
  argsText: writtenElsewhere,
  // A call without state may need a placeholder: see `thoughtSignature`.
  opaque: writtenElsewhere,
  // The path of the call in the caller's body, for error messages.
  path: notNeeded,
}

/**
 * Google's compatibility layer refuses a step whose first call has no signature; its documentation names the placeholder for a lost one.
 */
function thoughtSignature({ opaque }: CallPart, { index, calls, target, losses }: CallPlace): Body {
  const isSigned = calls.some((one) => one.opaque?.some((state) => isOwn(state) && state.kind === 'thought-signature'))
  if (!target.capabilities.thoughtSignatureRequired || isSigned || index > 0) return writeExtraContent(opaque)
  losses.adapted('turns.thoughtSignature', 'The state of the model’s reasoning is lost and was replaced by a placeholder.')
  return { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } }
}
