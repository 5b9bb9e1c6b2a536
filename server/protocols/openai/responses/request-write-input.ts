/** Instructions and turns as the items of an input. */
import type {
  CallPart,
  ConversationRequest,
  Instruction,
  MediaPart,
  NativePart,
  Part,
  RefusalPart,
  ResultPart,
  Turn,
} from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
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
import { reasoningItem, withReasoningLed } from './reasoning.ts'
import { inputText, mediaContent, outputText, resultOutput, type Writing } from './request-write-content.ts'

type Item = Record<string, unknown>

export interface InputWriting extends Writing {
  names: ToolNames
}

/** `instructions`: the first instruction, if it need not be an item. */
export function writeInput(writing: InputWriting): { instructions?: string; input: Item[] } {
  const { instructions, turns } = writing.request
  const [first, ...others] = instructions
  const hasField = first !== undefined && first.role === 'system' && !first.cache && !first.item
  const items = instructionItems(hasField ? others : instructions, writing)
  const input = withReasoningLed([...items, ...turns.flatMap(turnWriter(writing))], writing)
  notePrefill(writing)
  refuseUnpaired(writing.request)
  return { ...(hasField && { instructions: first.text }), input }
}

function notePrefill({ request, target, losses }: Writing): void {
  if (request.dialect === 'responses' || request.turns.at(-1)?.role !== 'assistant') return
  if (target.capabilities.prefillRefused === true) {
    throw cannotCarry(request, 'turns', 'This model does not continue a prefilled answer.')
  }
  losses.adapted('turns.prefill', 'The upstream may not continue the prefilled answer.')
}

/** The upstream refuses calls without results and results without calls. Items stored elsewhere may contain the counterpart. */
function refuseUnpaired(request: ConversationRequest): void {
  const { turns } = request
  if (turns.some((turn) => turn.parts.some((part) => part.kind === 'native' && part.dialect === 'responses'))) return
  const calls = new Set<string>()
  const results = new Set<string>()
  for (const part of turns.flatMap((turn) => turn.parts)) {
    if (part.kind === 'call') calls.add(part.callId)
    if (part.kind === 'result') results.add(part.callId)
  }
  for (const turn of turns) {
    for (const part of turn.parts) {
      if (part.kind === 'call' && !results.has(part.callId)) throw cannotCarry(request, 'turns', 'A tool call has no result.', turn.path)
      if (part.kind === 'result' && !calls.has(part.callId)) throw cannotCarry(request, 'turns', 'A tool result has no call.', turn.path)
    }
  }
}

type Instructing = WrittenFields<Instruction, { role: 'written'; text: 'written'; cache: 'written'; item: 'written' }>
type Speaking = WrittenFields<Turn, { role: 'written'; parts: 'written'; name: 'written'; developer: 'written'; path: 'written' }>

/** Adjacent instructions of one role share a message, each a part of its own. */
function instructionItems(instructions: readonly Instructing[], writing: Writing): Item[] {
  const items: { type: 'message'; role: Instruction['role']; content: Item[] }[] = []
  for (const instruction of instructions) {
    const last = items.at(-1)
    const content = inputText(instruction, writing)
    if (last?.role === instruction.role) last.content.push(content)
    else items.push({ type: 'message', role: instruction.role, content: [content] })
  }
  return items
}

/** State kept from turn to turn. */
interface InputDraft extends InputWriting {
  /** By call id: a result takes the form of its call. */
  forms: Map<string, CallPart['form']>
  callIdOf(id: string): string
}

interface TurnDraft extends InputDraft {
  turn: Turn
  items: Item[]
  said: ReturnType<typeof messages>
}

function turnWriter(writing: InputWriting): (turn: Turn) => Item[] {
  const draft: InputDraft = { ...writing, forms: new Map(), callIdOf: callIds() }
  return (turn) => writeTurn(turn, draft)
}

/** The upstream takes ids of up to 64 characters; a longer one is named by its place, which later requests repeat. */
function callIds(): (id: string) => string {
  const ids = new Map<string, string>()
  return (id) => {
    const known = ids.get(id)
    if (known !== undefined) return known
    const wire = id.length <= 64 ? id : `call_${ids.size}_${id.slice(-32).replace(/[^A-Za-z0-9_-]/g, '_')}`
    ids.set(id, wire)
    return wire
  }
}

function writeTurn(turn: Speaking, draft: InputDraft): Item[] {
  const items: Item[] = []
  const said = messages(turn, items)
  if (turn.name !== undefined) draft.losses.leftOut('turns.name', 'Messages have no names on this upstream.')
  for (const part of turn.parts) writeKind(part, partWriters, { ...draft, turn, items, said })
  return items
}

const partWriters: KindWriters<Part, TurnDraft, void> = {
  text: (part, draft) => {
    const { turn, said } = draft
    if (part.text === '' && !(turn.role === 'user' && turn.parts.length === 1)) return
    said.add(turn.role === 'assistant' ? outputText(part, draft) : inputText(part, draft), part.phase)
  },
  refusal: ({ text }: WrittenFields<RefusalPart, { text: 'written' }>, { turn, said }) => {
    said.add(turn.role === 'assistant' ? { type: 'refusal', refusal: text } : { type: 'input_text', text })
  },
  media: (part, draft) => draft.said.media(part, draft),
  native: (part, draft) => writeNative(part, draft.said, draft),
  reasoning: (part, draft) => draft.items.push(...reasoningItem(part, draft)),
  call: (part, draft) => {
    draft.forms.set(part.callId, part.form)
    draft.items.push(writeFields(part, callWriters, draft))
  },
  result: (part, draft) => draft.items.push(writeFields(part, resultWriters, draft)),
}

const callWriters: FieldWriters<CallPart, InputDraft> = {
  form: (form) => ({ type: form === 'text' ? 'custom_tool_call' : 'function_call' }),
  callId: (callId, { callIdOf }) => ({ call_id: callIdOf(callId) }),
  name: (name, { names }, { namespace }) => ({ name: namespace === undefined ? names.out(name) : name }),
  namespace: (namespace) => ({ namespace }),
  argsText: (argsText, _, { form }) => (form === 'text' ? { input: argsText } : { arguments: argsText === '' ? '{}' : argsText }),
  // State of a call is another vendor's.
  opaque: notNeeded,
  // The path of the call in the caller's body, for error messages.
  path: notNeeded,
}

const resultWriters: FieldWriters<ResultPart, InputDraft> = {
  form: (form, { forms }, { callId }) => ({
    type: (forms.get(callId) ?? form) === 'text' ? 'custom_tool_call_output' : 'function_call_output',
  }),
  callId: (callId, { callIdOf }) => ({ call_id: callIdOf(callId) }),
  parts: (_, draft, result) => ({ output: resultOutput(result, draft) }),
  isError: writtenElsewhere,
  cache: writtenElsewhere,
  // The upstream knows it from the call.
  name: notNeeded,
}

/** Puts content into messages; consecutive content is one message. */
function messages(turn: Turn, items: Item[]) {
  const role = turn.role === 'tool' ? 'user' : turn.role === 'system' && turn.developer ? 'developer' : turn.role
  let open: { item: Item; content: Item[]; phase: string | undefined } | undefined

  function add(content: Item, phase?: string): void {
    if (!open || items.at(-1) !== open.item || open.phase !== phase) {
      const parts: Item[] = []
      open = { item: { type: 'message', role, content: parts, ...(phase && { phase }) }, content: parts, phase }
      items.push(open.item)
    }
    open.content.push(content)
  }

  return {
    add,
    item: (item: Item) => items.push(item),
    /** An answer's own pictures and files are shown to the model again, as the user's. */
    media(part: MediaPart, writing: Writing): void {
      const isAnswer = role === 'assistant'
      if (isAnswer) writing.losses.adapted('turns.media', 'Media of an answer are sent back in a user message, or as their transcript.')
      if (!isAnswer) add(mediaContent(part, writing))
      else if (part.transcript !== undefined) add({ type: 'output_text', text: part.transcript })
      else items.push({ type: 'message', role: 'user', content: [mediaContent(part, writing)] })
    },
    text: (text: string) => add({ type: role === 'assistant' ? 'output_text' : 'input_text', text }),
  }
}

/** State of a block is in `raw`. */
type Native = WrittenFields<NativePart, { dialect: 'written'; raw: 'written'; summary: 'written'; opaque: 'notNeeded' }>

function writeNative(part: Native, said: ReturnType<typeof messages>, { losses }: Writing): void {
  if (part.dialect === 'responses') said.item(part.raw as Item)
  else if (part.summary !== undefined) {
    losses.adapted('turns.native', 'Blocks of another vendor became text.')
    said.text(part.summary)
  } else losses.dropped('turns.native', 'Blocks of another vendor have no place on this upstream.')
}
