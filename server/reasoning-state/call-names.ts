/**
 * The names by which tool calls are remembered. Some vendors restart call ids in every conversation, so an id alone is ambiguous: a name is
 * made of the id, the tool, the arguments, and a digest of the whole conversation before the answer. All of these come from what
 * clients send back unchanged; if they do change it, the call is not found, as if nothing were remembered. Pure.
 */
import type { CallPart, ConversationRequest, Part, ResultPart, Turn } from '#canonical/conversation'
import { sha256Hex } from '#runtime/secrets'
import { exact } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import { placeOf } from './media-place.ts'

/** The conversation in a request. */
export type Conversation = Pick<ConversationRequest, 'instructions' | 'turns'>

/**
 * The digest of what an answer to this conversation answers: everything said before it, by anybody, except reasoning, which clients drop.
 * Undefined when there is nothing, and when the answer continues one of the assistant's: clients return both as one.
 *
 * What does not matter: white space, the division into parts and turns, reminders inserted by agents, and signatures in URLs of media.
 */
export const questionOf = (conversation: Conversation): string | undefined => questionsIn(conversation)(conversation.turns.length)

/** The same for any answer in the conversation: call it with the index of a turn of that answer. */
export function questionsIn({ instructions, turns }: Conversation): (at: number) => string | undefined {
  let questions: (Place | undefined)[] | undefined
  return (at) => {
    questions ??= placesBeforeAnswers(instructions, turns)
    return questions[at]?.digest
  }
}

/** The name of a call in an answer to this question. */
export const nameOfCall = ({ callId, name, argsText }: CallPart, question: string): string =>
  sha256Hex(JSON.stringify([callId, name, canonicalJson(argsText), question]))

/** For each turn, the place before the answer that it belongs to or would begin; the last is that of the next answer. */
function placesBeforeAnswers(instructions: Conversation['instructions'], turns: readonly Turn[]): (Place | undefined)[] {
  const told = new Told()
  for (const { text } of instructions) told.text('system', withoutBilling(text))
  const places: (Place | undefined)[] = []
  let answers: Place | undefined
  for (const { role, parts } of turns) {
    if (parts.length > 0) answers = role === 'assistant' ? (answers ?? told.place()) : undefined
    places.push(answers ?? told.place())
    const speaker = role === 'tool' ? 'user' : role
    for (const part of parts) told.part(speaker, part)
  }
  return [...places, answers && !told.isAt(answers) ? undefined : told.place()]
}

type Speaker = Exclude<Turn['role'], 'tool'>

/**
 * What has been told so far: a digest of everything up to the latest run of texts, and that run. A run ends where another speaker begins,
 * or where something other than text comes between.
 */
class Told {
  #before = ''
  #speaker: Speaker = 'system'
  #texts: string[] = []

  text(speaker: Speaker, text: string): void {
    if ((speaker === 'assistant' ? text : withoutReminders(text)).trim() === '') return
    if (speaker !== this.#speaker) this.#endRun()
    this.#speaker = speaker
    this.#texts.push(text)
  }

  part(speaker: Speaker, part: Part): void {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        this.text(speaker, part.text)
        return
      case 'media':
        this.#add([part.kind, speaker, sha256Hex(placeOf(part))])
        return
      case 'call':
        this.#add([part.kind, part.callId, part.name, sha256Hex(canonicalJson(part.argsText))])
        return
      case 'result':
        this.#add([part.kind, part.callId, part.isError, ...contentOf(part)])
        return
      case 'native':
        this.#add([part.kind, speaker, sha256Hex(JSON.stringify(exact(part.raw)))])
        return
      case 'reasoning':
        return
    }
  }

  place(): Place {
    return new Place(this.#before, this.#speaker, this.#texts, this.#texts.length)
  }

  /** Whether nothing was told since. */
  isAt({ before, texts, count }: Place): boolean {
    return before === this.#before && texts === this.#texts && count === this.#texts.length
  }

  #add(one: readonly unknown[]): void {
    this.#endRun()
    this.#before = sha256Hex(JSON.stringify([this.#before, ...one]))
  }

  #endRun(): void {
    if (this.#texts.length > 0) this.#before = this.place().digest ?? ''
    this.#texts = []
  }
}

/** A place in a conversation, after the first `count` texts of a run, which only grows. The digest is computed when it is needed. */
class Place {
  readonly before: string
  readonly speaker: Speaker
  readonly texts: readonly string[]
  readonly count: number
  #digest: string | undefined

  constructor(before: string, speaker: Speaker, texts: readonly string[], count: number) {
    this.before = before
    this.speaker = speaker
    this.texts = texts
    this.count = count
  }

  /** Undefined where nothing comes before. */
  get digest(): string | undefined {
    this.#digest ??= this.#made()
    return this.#digest === '' ? undefined : this.#digest
  }

  #made(): string {
    const joined = this.texts.slice(0, this.count).join('')
    const words = (this.speaker === 'assistant' ? joined : withoutReminders(joined)).replace(/\s+/g, '')
    return words === '' ? this.before : sha256Hex(JSON.stringify([this.before, 'text', this.speaker, sha256Hex(words)]))
  }
}

/** Digests of the text of a result and of its media. */
function contentOf({ parts }: ResultPart): string[] {
  const texts = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')
  return [withoutReminders(texts).trim(), ...parts.flatMap((part) => (part.kind === 'media' ? [placeOf(part)] : []))].map(sha256Hex)
}

/** Claude Code begins its instructions with a line that is another in each request. */
const withoutBilling = (text: string): string => text.replace(/^x-anthropic-billing-header:[^\n]*/, '')

const reminder = { begin: '<system-reminder>', end: '</system-reminder>' }

/** Agents insert reminders into messages of users and tools, and may remove them again. */
function withoutReminders(text: string): string {
  const kept: string[] = []
  let from = 0
  for (let begin = text.indexOf(reminder.begin); begin >= 0; begin = text.indexOf(reminder.begin, from)) {
    const end = text.indexOf(reminder.end, begin)
    if (end < 0) break
    kept.push(text.slice(from, begin))
    from = end + reminder.end.length
  }
  return from === 0 ? text : [...kept, text.slice(from)].join('')
}

/** JSON without white space, with sorted keys; no arguments become an empty object, and invalid JSON stays unchanged. */
function canonicalJson(text: string): string {
  if (text.trim() === '') return '{}'
  try {
    return ordered(JSON.parse(text))
  } catch {
    // Invalid, or nested too deep.
    return text
  }
}

function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.keys(value).sort()
  return `{${fields.map((field) => `${JSON.stringify(field)}:${ordered(value[field])}`).join(',')}}`
}
