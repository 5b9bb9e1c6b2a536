/**
 * `contents` as turns. A function call may come without an id, and a result names its function only: calls are numbered as
 * they stand, which stays the same as a conversation grows, and results find their call by id, else by name in order.
 */
import type { CallPart, Part, ResultPart, TextPart, Turn } from '#canonical/conversation'
import { missing, type Node, objectAt, objectsAt, pathOf, pick, pickText, textAt, wrong } from '../proto-json.ts'
import { readMedia } from './media-read.ts'
import { isEmptyPart, nativePart, signatureOf } from './part.ts'

interface OpenCall {
  callId: string
  /** The id that the caller gave. */
  given: string | undefined
  name: string
}

interface Reading {
  /** Calls without a result so far. */
  open: OpenCall[]
  taken: Set<string>
  count: number
}

const roles: Readonly<Record<string, Turn['role']>> = { user: 'user', model: 'assistant', function: 'user', tool: 'user' }

export function readTurns(root: Node): Turn[] {
  const contents = objectsAt(root, 'contents')
  if (pick(root.body, 'contents') === undefined) throw missing(pathOf(root, 'contents'))
  if (contents.length === 0) throw wrong(pathOf(root, 'contents'), 'a list with at least one content')
  const reading: Reading = { open: [], taken: givenIds(contents), count: 0 }
  return contents.flatMap((content) => readContent(content, reading))
}

/** Every id that the caller uses, so that a made one is none of them. */
function givenIds(contents: Node[]): Set<string> {
  const calls = contents.flatMap((content) => objectsAt(content, 'parts')).flatMap((part) => objectAt(part, 'functionCall') ?? [])
  return new Set(calls.flatMap((call) => pickText(call.body, 'id') ?? []))
}

/** One content is one turn, but results and what else the user says are two. */
function readContent(node: Node, reading: Reading): Turn[] {
  const word = textAt(node, 'role') ?? 'user'
  const role = Object.hasOwn(roles, word) ? roles[word] : undefined
  if (!role) throw wrong(pathOf(node, 'role'), 'user or model')
  const parts = objectsAt(node, 'parts').flatMap((part) => readPart(part, reading))
  const turns: Turn[] = []
  for (const part of parts) {
    const partRole = part.kind === 'result' ? 'tool' : role
    const last = turns.at(-1)
    if (last?.role === partRole) last.parts.splice(-1, 1, ...joined(last.parts.at(-1), part))
    else turns.push({ role: partRole, parts: [part], path: node.path })
  }
  return turns.length > 0 ? turns : [{ role, parts: [], path: node.path }]
}

/** A streamed thought comes back as the pieces it came in, the signature on its last one: one thought up to there. */
function joined(before: Part | undefined, part: Part): Part[] {
  if (!before) return [part]
  if (before.kind !== 'reasoning' || part.kind !== 'reasoning' || before.opaque.length > 0) return [before, part]
  const text = [...before.text, ...part.text].join('')
  return [{ ...before, text: text === '' ? [] : [text], opaque: part.opaque }]
}

function readPart(node: Node, reading: Reading): Part[] {
  const { body } = node
  const call = objectAt(node, 'functionCall')
  if (call) return [readCall(call, node, reading)]
  const response = objectAt(node, 'functionResponse')
  if (response) return [readResult(response, reading)]
  const text = textAt(node, 'text')
  if (text !== undefined) return readText(text, node)
  const media = readMedia(node)
  if (media) return [media]
  return isEmptyPart(body) ? [] : [nativePart(body)]
}

function readText(text: string, { body }: Node): Part[] {
  const opaque = signatureOf(body)
  if (text === '') return opaque.length > 0 ? [{ kind: 'reasoning', text: [], form: 'hidden', opaque }] : []
  if (body.thought === true) return [{ kind: 'reasoning', text: [text], form: 'summary', opaque }]
  return [{ kind: 'text', text, ...(opaque.length > 0 && { opaque }) }]
}

function readCall(call: Node, part: Node, reading: Reading): CallPart {
  const name = textAt(call, 'name')
  if (!name) throw missing(pathOf(call, 'name'))
  const args = objectAt(call, 'args')
  const given = textAt(call, 'id') || undefined
  const callId = given ?? freshId(reading)
  reading.open.push({ callId, given, name })
  const opaque = signatureOf(part.body)
  return {
    kind: 'call',
    callId,
    name,
    form: 'json',
    argsText: JSON.stringify(args?.body ?? {}),
    ...(opaque.length > 0 && { opaque }),
    path: pathOf(call, 'args'),
  }
}

function freshId(reading: Reading): string {
  for (;;) {
    const id = `call_${++reading.count}`
    if (!reading.taken.has(id)) return id
  }
}

function readResult(node: Node, reading: Reading): ResultPart {
  const name = textAt(node, 'name')
  const id = textAt(node, 'id') || undefined
  const byId = reading.open.findIndex(({ given }) => id !== undefined && given === id)
  const at = byId === -1 ? reading.open.findIndex((call) => call.name === name && (id === undefined || call.given === undefined)) : byId
  const [call] = at === -1 ? [] : reading.open.splice(at, 1)
  if (!call) throw wrong(node.path, 'the result of a function call that comes before it')
  const media = objectsAt(node, 'parts').map((part) => {
    const found = readMedia(part)
    if (!found) throw wrong(part.path, 'media')
    return found
  })
  const { text, isError } = readOutcome(node)
  const said: TextPart[] = text === '' ? [] : [{ kind: 'text', text }]
  return { kind: 'result', callId: call.callId, name: call.name, form: 'json', isError, parts: [...said, ...media] }
}

/**
 * By Google's convention `output` holds what a function gave and `error` what went wrong; anything else is the result itself.
 * The AI SDK says the function's name once more beside the error.
 */
function readOutcome(node: Node): { text: string; isError: boolean } {
  const response = objectAt(node, 'response')?.body ?? {}
  const failed = 'error' in response && response.name === textAt(node, 'name')
  const [key, ...others] = Object.keys(response).filter((field) => !(failed && field === 'name'))
  if (key === undefined) return { text: '', isError: false }
  const isError = key === 'error' && others.length === 0
  const value = isError || (key === 'output' && others.length === 0) ? response[key] : response
  return { text: typeof value === 'string' ? value : JSON.stringify(value), isError }
}
