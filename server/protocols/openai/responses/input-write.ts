/** Instructions and turns as the items of an input. */
import type { ConversationRequest, Instruction, MediaPart, NativePart, Part, ResultPart, Turn } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import type { ToolNames } from '#canonical/tool-names'
import { inputText, mediaContent, outputText, type Writing } from './content-write.ts'
import { reasoningItem, withReasoningLed } from './reasoning-write.ts'
import { resultOutput } from './result-write.ts'

type Item = Record<string, unknown>

export interface InputWriting extends Writing {
  names: ToolNames
}

/** `instructions` is the first of them, where it needs no place of its own. */
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
    throw cannotCarry(request, 'turns', 'This model does not continue an answer that was begun.')
  }
  losses.adapted('turns.prefill', 'The upstream may not continue the answer that was begun.')
}

/** The upstream refuses calls without results and results without calls. Items that are kept elsewhere may hold the other half. */
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
      if (part.kind === 'result' && !calls.has(part.callId)) throw cannotCarry(request, 'turns', 'A result answers no call.', turn.path)
    }
  }
}

/** Neighbours of one role share a message, each a part of its own. */
function instructionItems(instructions: readonly Instruction[], writing: Writing): Item[] {
  const items: { type: 'message'; role: Instruction['role']; content: Item[] }[] = []
  for (const instruction of instructions) {
    const last = items.at(-1)
    const content = inputText(instruction, writing)
    if (last?.role === instruction.role) last.content.push(content)
    else items.push({ type: 'message', role: instruction.role, content: [content] })
  }
  return items
}

/** Calls are remembered from turn to turn: a result takes the form of its call. */
function turnWriter(writing: InputWriting): (turn: Turn) => Item[] {
  const forms = new Map<string, 'json' | 'text'>()
  const ids = new Map<string, string>()

  /** The upstream takes ids of up to 64 characters; a longer one is named by its place, which later requests repeat. */
  function callId(id: string): string {
    const known = ids.get(id)
    if (known !== undefined) return known
    const wire = id.length <= 64 ? id : `call_${ids.size}_${id.slice(-32).replace(/[^A-Za-z0-9_-]/g, '_')}`
    ids.set(id, wire)
    return wire
  }

  function call(part: Extract<Part, { kind: 'call' }>): Item {
    forms.set(part.callId, part.form)
    const { namespace } = part
    const name = namespace === undefined ? writing.names.out(part.name) : part.name
    const head = { call_id: callId(part.callId), name, ...(namespace !== undefined && { namespace }) }
    return part.form === 'text'
      ? { type: 'custom_tool_call', ...head, input: part.argsText }
      : { type: 'function_call', ...head, arguments: part.argsText === '' ? '{}' : part.argsText }
  }

  function result(part: ResultPart): Item {
    const form = forms.get(part.callId) ?? part.form
    const type = form === 'text' ? 'custom_tool_call_output' : 'function_call_output'
    return { type, call_id: callId(part.callId), output: resultOutput(part, writing) }
  }

  return (turn) => writeTurn(turn, writing, (part) => (part.kind === 'call' ? call(part) : result(part)))
}

/** One part that is an item by itself. */
type ItemOf = (part: Extract<Part, { kind: 'call' | 'result' }>) => Item

function writeTurn(turn: Turn, writing: InputWriting, itemOf: ItemOf): Item[] {
  const items: Item[] = []
  const said = messages(turn, items)
  if (turn.name !== undefined) writing.losses.forgotten('turns.name', 'Messages have no names on this upstream.')
  for (const part of turn.parts) {
    switch (part.kind) {
      case 'text':
        if (part.text !== '' || (turn.role === 'user' && turn.parts.length === 1))
          said.add(turn.role === 'assistant' ? outputText(part, writing) : inputText(part, writing), part.phase)
        break
      case 'refusal':
        said.add({
          type: turn.role === 'assistant' ? 'refusal' : 'input_text',
          [turn.role === 'assistant' ? 'refusal' : 'text']: part.text,
        })
        break
      case 'media':
        said.media(part, writing)
        break
      case 'native':
        writeNative(part, said, writing)
        break
      case 'reasoning':
        items.push(...reasoningItem(part, writing))
        break
      case 'call':
      case 'result':
        items.push(itemOf(part))
        break
    }
  }
  return items
}

/** Puts what is said into messages; what is said in a row is one message. */
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
      if (isAnswer) writing.losses.adapted('turns.media', 'Media of an answer go back as a message of the user, or as their transcript.')
      if (!isAnswer) add(mediaContent(part, writing))
      else if (part.transcript !== undefined) add({ type: 'output_text', text: part.transcript })
      else items.push({ type: 'message', role: 'user', content: [mediaContent(part, writing)] })
    },
    text: (text: string) => add({ type: role === 'assistant' ? 'output_text' : 'input_text', text }),
  }
}

function writeNative(part: NativePart, said: ReturnType<typeof messages>, { losses }: Writing): void {
  if (part.dialect === 'responses') said.item(part.raw as Item)
  else if (part.summary !== undefined) {
    losses.adapted('turns.native', 'Blocks of another vendor are told in words.')
    said.text(part.summary)
  } else losses.dropped('turns.native', 'Blocks of another vendor have no place on this upstream.')
}
