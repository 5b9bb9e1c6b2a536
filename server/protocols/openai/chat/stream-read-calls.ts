/**
 * Tool calls of one choice, from deltas. Chat never marks a call as complete, and vendors differ in how they assign a delta to a call: by
 * index, by id, by neither, or by repeating both every time.
 */
import type { CodecContext, Memo } from '#canonical/codec'
import type { Opaque } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { clientName } from '#protocols/codec/tool-names'
import { unwrapInput } from '#protocols/codec/wrapped-tool'
import { isObject } from '#shared/json'
import type { Body } from '../fields.ts'
import { readExtraContent } from './reasoning.ts'
import { argsOf } from './response-read.ts'
import { type JsonBalance, jsonBalance } from './stream-read-json.ts'

interface Call {
  /** The upstream's; empty as long as it gave none. */
  id: string
  name: string
  isCustom: boolean
  /** Its place among the parts, once it is open. */
  at?: number
  isClosed: boolean
  /** Arguments that cannot be passed on yet: the name is missing, or the text has to be unwrapped. */
  held: string
  isWrapped: boolean
  opaque: Opaque[]
  balance: JsonBalance
}

/** One delta of a call. */
interface Piece {
  index: number | undefined
  id: string
  name: string
  isCustom: boolean
  args: string
  opaque: Opaque[]
}

export interface CallReader {
  push(calls: readonly unknown[]): ConversationEvent[]
  /** The upstream continues with something else: closes the last call if it is complete. */
  settle(): ConversationEvent[]
  /** Closes open calls. */
  end(): ConversationEvent[]
  /** A call was made. */
  any(): boolean
}

/** `place` returns the next free index among the parts of the choice. */
export function callReader(choice: number, place: () => number, memo: Memo, codecContext: CodecContext): CallReader {
  const byIndex = new Map<number, Call>()
  const byId = new Map<string, Call>()
  const open = new Set<Call>()
  let last: Call | undefined
  let sawCall = false

  function push(raw: readonly unknown[]): ConversationEvent[] {
    return raw.filter(isObject).flatMap((call) => pushPiece(readPiece(call)))
  }

  function pushPiece(piece: Piece): ConversationEvent[] {
    const events: ConversationEvent[] = []
    let call = find(piece)
    if (!call) {
      if (piece.id === '' && piece.name === '' && piece.index === undefined) return []
      events.push(...settle())
      call = create(piece)
    }
    if (call.isClosed) return events
    last = call
    if (call.name === '' && piece.name !== '') rename(call, piece)
    if (call.id === '' && piece.id !== '') remember(call, piece.id)
    events.push(...grow(call, piece))
    return events
  }

  /** The call that a piece continues; undefined when it begins another. */
  function find({ index, id, name }: Piece): Call | undefined {
    const known = index !== undefined ? byIndex.get(index) : id !== '' ? byId.get(id) : last
    if (!known || name === '' || known.name === '') return known
    if (id !== '' && known.id !== '') return id === known.id ? known : undefined
    // A name again and no ids to compare: another call as soon as the one before is whole, or is called otherwise.
    return known.balance.isWhole() || known.name !== name ? undefined : known
  }

  function create(piece: Piece): Call {
    const call: Call = {
      id: '',
      name: '',
      isCustom: piece.isCustom,
      isClosed: false,
      held: '',
      isWrapped: false,
      opaque: [],
      balance: jsonBalance(),
    }
    if (piece.index !== undefined) byIndex.set(piece.index, call)
    return call
  }

  function remember(call: Call, id: string): void {
    call.id = id
    byId.set(id, call)
  }

  function rename(call: Call, { name, isCustom }: Piece): void {
    call.name = name
    call.isCustom = isCustom
    call.isWrapped = !isCustom && memo.wrappedTools.includes(clientName(memo, name).name)
  }

  function grow(call: Call, { args, opaque }: Piece): ConversationEvent[] {
    if (!call.isCustom) call.balance.push(args)
    if (call.at === undefined) {
      call.held += args
      call.opaque.push(...opaque)
      return call.name === '' ? [] : begin(call)
    }
    const at = call.at
    const events: ConversationEvent[] = opaque.map((state) => ({ kind: 'delta', choice, at, delta: { opaque: state } }))
    if (call.isWrapped) call.held += args
    else if (args !== '') events.push({ kind: 'delta', choice, at, delta: { text: args } })
    return events
  }

  function begin(call: Call): ConversationEvent[] {
    const at = place()
    call.at = at
    open.add(call)
    sawCall = true
    const form = call.isCustom || call.isWrapped ? 'text' : 'json'
    const opaque = call.opaque.length > 0 ? { opaque: call.opaque } : {}
    const part = {
      kind: 'call' as const,
      callId: call.id || codecContext.id('call_'),
      ...clientName(memo, call.name),
      form,
      ...opaque,
    } as const
    const events: ConversationEvent[] = [{ kind: 'open', choice, at, part }]
    if (!call.isWrapped && call.held !== '') events.push({ kind: 'delta', choice, at, delta: { text: call.held } })
    if (!call.isWrapped) call.held = ''
    return events
  }

  function close(call: Call): ConversationEvent[] {
    open.delete(call)
    call.isClosed = true
    if (call.at === undefined) return []
    const { at } = call
    const text = call.isWrapped ? unwrapInput(call.held) : ''
    call.held = ''
    return [...(text === '' ? [] : [{ kind: 'delta' as const, choice, at, delta: { text } }]), { kind: 'close', choice, at }]
  }

  function settle(): ConversationEvent[] {
    return last && open.has(last) && last.balance.isWhole() ? close(last) : []
  }

  return { push, settle, end: () => [...open].flatMap(close), any: () => sawCall }
}

function readPiece(call: Body): Piece {
  const isCustom = isObject(call.custom)
  const fields: Body = isObject(call.custom) ? call.custom : isObject(call.function) ? call.function : {}
  const { index, id } = call
  return {
    index: typeof index === 'number' && Number.isSafeInteger(index) ? index : undefined,
    id: typeof id === 'string' ? id : '',
    name: typeof fields.name === 'string' ? fields.name : '',
    isCustom,
    args: argsOf(isCustom ? fields.input : fields.arguments),
    opaque: readExtraContent(call.extra_content),
  }
}
