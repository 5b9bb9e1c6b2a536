/**
 * Measures the items of an answer in events of Responses and Realtime: in pieces, when a part is done, and with the whole item. Content
 * that is sent more than once counts once: the largest version of each item. Only numbers are stored.
 */
import { type Delivered, nothingDelivered, soundTokens, textBytes } from '#canonical/delivered'
import { isObject } from '#shared/json'

type Fields = Record<string, unknown>

const kinds = ['text', 'reasoning', 'sound', 'images'] as const
type Kind = (typeof kinds)[number]
type Amount = Record<Kind, number>

type Source = 'pieces' | 'texts' | 'parts' | 'whole'

/** Of one kind: the amount by each source, and the largest. */
type AmountBySource = Record<Source | 'most', number>

interface Counted {
  name: number
  counts: Partial<Record<Kind, AmountBySource>>
}

export interface ItemMeter {
  add(type: string, event: Fields): void
  /** Counts the texts of deltas like this one, with their length in UTF-8, as `add` does; undefined if they are no text. */
  pieces(type: string, event: Fields): ((text: string, bytes: number) => void) | undefined
  readonly delivered: Delivered
}

/** The most items that are counted apart; the rest count as one. */
const mostItems = 1024

/** Fields in which an event or a part repeats a text when it is done. */
const texts = ['text', 'refusal', 'transcript', 'arguments', 'input', 'code', 'diff'] as const

const soundDelta = /^response\.(?:output_)?audio\.delta$/
const wordsOf = (type: string): Kind => (type.startsWith('response.reasoning') ? 'reasoning' : 'text')

/** `tokensOf` counts sound in base64. */
export function itemMeter(listener?: Delivered['listener'], tokensOf: (base64: string) => number = soundTokens): ItemMeter {
  const delivered = nothingDelivered(listener)
  const items = new Map<unknown, Counted>()

  function itemAt({ output_index: index }: Fields): Counted {
    const place = items.size < mostItems || items.has(index) ? index : undefined
    const item = items.get(place) ?? { name: 0, counts: {} }
    items.set(place, item)
    return item
  }

  /** Adds to one source; only what is new goes into the total. */
  function count(item: Counted, source: Source, kind: Kind, amount: number): void {
    if (amount === 0) return
    const counts = item.counts[kind] ?? { pieces: 0, texts: 0, parts: 0, whole: 0, most: 0 }
    item.counts[kind] = counts
    counts[source] = source === 'whole' ? Math.max(counts.whole, amount) : counts[source] + amount
    if (counts[source] <= counts.most) return
    delivered[kind] += counts[source] - counts.most
    counts.most = counts[source]
  }

  function addWhole(item: Counted, whole: Fields): void {
    if (item.name === 0) {
      item.name = textBytes(whole.name, delivered)
      delivered.text += item.name
    }
    const amount = itemAmount(whole, delivered)
    for (const kind of kinds) count(item, 'whole', kind, amount[kind])
  }

  function addPiece(item: Counted, type: string, delta: unknown): void {
    if (!soundDelta.test(type)) count(item, 'pieces', wordsOf(type), textBytes(delta, delivered))
    else if (typeof delta === 'string') count(item, 'pieces', 'sound', tokensOf(delta))
  }

  function addTexts(item: Counted, type: string, event: Fields): void {
    const said = isObject(event.part) ? event.part : event
    for (const field of texts) count(item, said === event ? 'texts' : 'parts', wordsOf(type), textBytes(said[field], delivered))
  }

  function add(type: string, event: Fields): void {
    if (type.endsWith('.delta')) addPiece(itemAt(event), type, event.delta)
    else if (type.endsWith('.partial_image')) count(itemAt(event), 'whole', 'images', 1)
    else if (isObject(event.item)) addWhole(itemAt(event), event.item)
    else if (type.endsWith('.done')) addTexts(itemAt(event), type, event)
  }

  function pieces(type: string, event: Fields): ReturnType<ItemMeter['pieces']> {
    if (!type.endsWith('.delta') || soundDelta.test(type)) return undefined
    const [item, kind] = [itemAt(event), wordsOf(type)]
    return (text, bytes) => {
      listener?.addText(text, bytes)
      count(item, 'pieces', kind, bytes)
    }
  }

  return { add, pieces, delivered }
}

/** The content of a whole item, except its name. */
function itemAmount(item: Fields, delivered: Pick<Delivered, 'listener'>): Amount {
  const held = listBytes(item.content, delivered)
  const none = { text: 0, reasoning: 0, sound: 0, images: 0 }
  if (item.type === 'reasoning') return { ...none, reasoning: held + listBytes(item.summary, delivered) }
  const { operation, result } = item
  const written = [item.arguments, item.input, item.code, isObject(operation) && operation.diff]
  const isImage = item.type === 'image_generation_call' && typeof result === 'string' && result !== ''
  return { ...none, text: held + sumOf(written, delivered), images: isImage ? 1 : 0 }
}

/** The content of the items of a whole answer. */
export function itemsAmount(items: unknown, listener?: Delivered['listener']): Delivered {
  const delivered = nothingDelivered(listener)
  for (const item of list(items)) {
    const amount = itemAmount(item, delivered)
    for (const kind of kinds) delivered[kind] += amount[kind]
    delivered.text += textBytes(item.name, delivered)
  }
  return delivered
}

const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])

const sumOf = (said: unknown[], delivered: Pick<Delivered, 'listener'>) =>
  said.reduce<number>((sum, text) => sum + textBytes(text, delivered), 0)

const listBytes = (parts: unknown, delivered: Pick<Delivered, 'listener'>) =>
  list(parts).reduce((sum, part) => sum + sumOf([part.text, part.refusal, part.transcript], delivered), 0)
