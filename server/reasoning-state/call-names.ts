/**
 * What a call is remembered by. Some vendors number calls anew in every conversation, so its id alone does not say whose it is: a name is
 * made of the id, the tool, the arguments, and a digest of the question that the answer was given to. All of that comes from what
 * clients send back unchanged; where they do change it, the call is not found, as if nothing were remembered. Pure.
 */
import type { CallPart, MediaPart, Part, Turn } from '#canonical/conversation'
import { sha256Hex } from '#runtime/secrets'
import { isObject } from '#shared/json'

/**
 * The digest of the question that an answer is given to; undefined when nothing was asked. It is made of
 * - results: of the user's and tools' turns right before the answer, the call ids and texts of results;
 * - words: what the user said in those turns, or before them when it was nothing. Words of few characters are said in many
 *   conversations, so words further up are added until there are enough. Where the user never said a word, media stand for them.
 * Reminders of agents do not count, nor do white space in words and how they are divided into parts and turns.
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

/** What the user and tools said at once, between two answers. Everything else is found out when it is needed, once. */
interface Question {
  parts: Part[]
  earlier: Question | undefined
  words?: string
  /** The digest of the latest words; empty when there are none. */
  said?: string
  digest?: string
}

/** Characters of the user's words that are rarely the same in two conversations. */
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

/** Agents put reminders into what users and tools said, and may take them out again. */
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

/** Addresses are signed anew behind their `?`. */
function placeOf({ source }: MediaPart): string {
  if ('url' in source) return source.url.split('?', 1)[0] ?? ''
  return 'data' in source ? source.data : 'text' in source ? source.text : source.fileId
}

/** JSON without white space, with keys in order; no arguments are an empty object, and what is no JSON stays as it is. */
function canonicalJson(text: string): string {
  if (text.trim() === '') return '{}'
  try {
    return ordered(JSON.parse(text))
  } catch {
    // Broken, or nested too deep.
    return text
  }
}

function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.keys(value).sort()
  return `{${fields.map((field) => `${JSON.stringify(field)}:${ordered(value[field])}`).join(',')}}`
}
