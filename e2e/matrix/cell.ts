/** One cell of the matrix, and the steps that its conversations are made of. */
import { expect } from 'bun:test'
import type { Answer, Client, Dialect, Fault, Question, Result, Turn } from './dialogue.ts'

export const upstreamNames = ['chat', 'responses', 'messages', 'gemini'] as const
export type UpstreamName = (typeof upstreamNames)[number]

/** A question without what the cell decides. */
type Asked = Omit<Question, 'model' | 'stream'>

export interface Cell {
  client: Client
  upstream: UpstreamName
  stream: boolean
  ask: (question: Asked) => Promise<Answer>
  /** The same client asks the next upstream of the list. */
  askNext: (question: Asked) => Promise<Answer>
  /** The address of an image of 70 bytes. */
  picture: string
  /** Bodies that the upstream has received in this cell. */
  sent: () => string[]
  /** Resolves when the upstream's first exchange of this cell is over. */
  left: () => Promise<void>
}

export interface Conversation {
  hold: (cell: Cell) => Promise<void>
  /** Dialects of clients that have no words for it, and why. */
  unaskable?: Partial<Record<Dialect, string>>
  /** Upstreams for which the mapping tables refuse it: the row, what the refusal names, and whose clients alone meet it. */
  refused?: Partial<Record<UpstreamName, { row: string; says: RegExp; dialect?: Dialect }>>
  /** Asked of a model of its own, which may be blamed. */
  breaks?: true
}

/** One question with a plain answer in words. */
export const says = async ({ ask }: Cell, question: Asked, text: string) => {
  const answer = await ask(question)
  expect([answer.text.trim(), answer.ending]).toEqual([text, 'stop'])
  return answer
}

/** A conversation with tools: what is called first, the results, and what the model makes of them. */
export async function withTools(cell: Cell, question: Asked, calls: [name: string, args: object][], results: Omit<Result, 'call'>[]) {
  const first = await cell.ask(question)
  expect([first.calls.map(({ name, args }) => [name, args]), first.ending]).toEqual([calls, 'calls'])
  const ids = first.calls.flatMap(({ id }) => id ?? [])
  expect(new Set(ids).size).toBe(ids.length)
  const given = results.map((result, index): Result => ({ ...result, call: first.calls[index] ?? { id: undefined, name: '', args: {} } }))
  return cell.ask({ ...question, turns: [...question.turns, { answer: first }, { results: given }] })
}

/** What the client was told of a fault, and the text it had heard by then. */
export async function faultOf(cell: Cell, said: string): Promise<{ heard: string; fault: Fault }> {
  let heard = ''
  const hear = (piece: string) => {
    heard += piece
  }
  const fault = await cell
    .ask({ turns: [{ user: said }], heard: hear })
    .then(
      ({ text, ending }): Fault => ({ kind: 'unknown', thrown: `answered ${JSON.stringify(text)}, ended ${ending}` }),
      cell.client.faultOf,
    )
  return { heard, fault }
}

/** Opaque states of two steps as each vendor gives them; Chat has none. */
const states: Partial<Record<UpstreamName, RegExp>> = {
  responses: /gAAAA-scripted-state-\d+/g,
  messages: /"signature":"[A-Za-z0-9+/=]+"/g,
  gemini: /"(?:thoughtSignature|thought_signature)":"c2Ny[A-Za-z0-9+/=]+"/g,
}

/** Thinks and calls a tool twice before it answers; what the vendor gave as its state must come back to it. */
export async function loop(cell: Cell): Promise<void> {
  const turns: Turn[] = [{ user: 'scenario loop' }]
  const tools = ['find']
  for (let step = 1; step <= 3; step++) {
    const answer = await cell.ask({ turns, tools, thinks: true })
    const heard = [1, 2].map((number) => asHeard(cell, 'find', `result ${number}`))
    if (step === 3) expect([answer.text, answer.ending]).toEqual([`Found: ${heard.join(', ')}`, 'stop'])
    else expect(answer.calls.map(({ name, args }) => [name, args])).toEqual([['find', { step }]])
    if (cell.client.hidesThoughts) expect(answer.thought).toBe('')
    else expect(answer.thought).toContain('think… 思考 at ')
    turns.push({ answer }, { results: answer.calls.map((call) => ({ call, text: `result ${step}` })) })
  }
  const state = states[cell.upstream]
  if (state !== undefined) expect(new Set(cell.sent()[2]?.match(state)).size).toBe(2)
}

/** A tool's result as the model gets it. */
export const asHeard = ({ client }: Cell, tool: string, text: string, failed = false): string => client.wraps?.(tool, text, failed) ?? text

/** A stream says what it had and then fails; a whole answer only fails. */
export async function broken(cell: Cell, said: string): Promise<void> {
  const { heard, fault } = await faultOf(cell, said)
  // Some SDKs read a status out of an error inside a stream.
  const told = isOurs(fault) || (cell.stream && fault.kind === 'stream')
  expect(told || fault).toBe(true)
  if (cell.stream) expect(heard).toStartWith('This ')
  else expect(heard).toBe('')
}

/** A status that blames no caller. */
export const isOurs = (fault: Fault): boolean => fault.kind === 'status' && [500, 502, 503, 504, 529].includes(fault.status)
