/**
 * The names by which tool calls are remembered. Some vendors restart call ids in every conversation, so an id alone is ambiguous: a name is
 * made of the id, the tool, the arguments, and a digest of the question that was answered. All of these come from what
 * clients send back unchanged; if they do change it, the call is not found, as if nothing were remembered. Pure.
 */
import type { CallPart, MediaPart, Part, Turn } from '#canonical/conversation'
import { sha256Hex } from '#runtime/secrets'
import { isObject } from '#shared/json'

/**
 * The digest of the question that is answered; undefined when nothing was asked. It is made of
 * - results: of the user's and tools' turns right before the answer, the call ids and texts of results;
 * - words: the user's text in those turns, or before them if there is none. Short texts occur in many
 *   conversations, so earlier text is added until there is enough. If the user never wrote any text, media are used instead.
 * Reminders inserted by agents are ignored, and so are white space and the division into parts and turns.
 */
export const questionOf = (turns: readonly Turn[]): string | undefined => questionsIn(turns)(turns.length)

/** The same for any answer in the conversation: call it with the index of a turn of that answer. */
export function questionsIn(turns: readonly Turn[]): (at: number) => string | undefined {
  const before: (Question | undefined)[] = []
  let last: Question | undefined
  let isAsking = false
  for (const { role, parts } of turns) {
    before.push(last)
    if (role === 'system' || parts.length === 0) continue
    if (role !== 'assistant') {
      if (!isAsking || !last) last = { parts: [], earlier: last }
      for (const part of parts) last.parts.push(part)
    }
    isAsking = role !== 'assistant'
  }
  before.push(last)
  return (at) => {
    const question = before[at]
    return question && digestOf(question)
  }
}

/** The name of a call in an answer to this question. */
export const nameOfCall = ({ callId, name, argsText }: CallPart, question: string): string =>
  sha256Hex(JSON.stringify([callId, name, canonicalJson(argsText), question]))

/** The messages of the user and of tools between two answers. Derived values are computed lazily, once. */
interface Question {
  parts: Part[]
  earlier: Question | undefined
  words?: string
  /** The digest of the latest words; empty when there are none. */
  said?: string
  digest?: string
}

/** Characters of user text that are enough to tell conversations apart. */
const enoughWords = 64

function digestOf(question: Question): string | undefined {
  if (question.digest !== undefined) return question.digest
  const said = saidUpTo(question)
  const results = question.parts
    .filter((part) => part.kind === 'result')
    .map(({ callId, parts }) => [callId, sha256Hex(textOf(parts).trim())])
  const media = said === '' ? question.parts.filter((part) => part.kind === 'media').map(placeOf) : []
  if (said === '' && results.length + media.length === 0) return undefined
  question.digest = sha256Hex(JSON.stringify([said, results, media]))
  return question.digest
}

function saidUpTo(question: Question): string {
  const silent: Question[] = []
  let from = question
  for (; from.said === undefined && from.earlier && wordsOf(from) === ''; from = from.earlier) silent.push(from)
  from.said ??= latestWords(from)
  for (const one of silent) one.said = from.said
  return from.said
}

function latestWords(question: Question): string {
  const words: string[] = []
  let characters = 0
  for (let one: Question | undefined = question; one && characters < enoughWords; one = one.earlier) {
    if (wordsOf(one) === '') continue
    words.push(wordsOf(one))
    characters += wordsOf(one).length
  }
  return words.length > 0 ? sha256Hex(words.join(' ')) : ''
}

function wordsOf(question: Question): string {
  question.words ??= textOf(question.parts).replace(/\s+/g, '')
  return question.words
}

const textOf = (parts: readonly Part[]): string => parts.map((part) => (part.kind === 'text' ? withoutReminders(part.text) : '')).join('')

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

/** The query of a URL may be a new signature each time. */
function placeOf({ source }: MediaPart): string {
  if ('url' in source) return source.url.split('?', 1)[0] ?? ''
  return 'data' in source ? source.data : 'text' in source ? source.text : source.fileId
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
