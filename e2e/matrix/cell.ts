/** One cell of the matrix, and the steps of its conversations. */
import { expect } from 'bun:test'
import type { Answer, Client, Dialect, Fault, Question, Result, Turn } from './dialogue.ts'

export const upstreamNames = ['chat', 'responses', 'messages', 'gemini'] as const

/** An upstream of the matrix. */
export type UpstreamName = (typeof upstreamNames)[number]

/** A question without what the cell determines. */
type Asked = Omit<Question, 'model' | 'stream'>

/** One client, one upstream and one mode. */
export interface Cell {
  client: Client
  upstream: UpstreamName
  stream: boolean
  ask: (question: Asked) => Promise<Answer>
  /** The same client asks the next upstream of the list. */
  askNext: (question: Asked) => Promise<Answer>
  /** The URL of an image of 70 bytes. */
  picture: string
  /** Bodies that the upstream has received in this cell. */
  sent: () => string[]
  /** Resolves when the upstream's first exchange of this cell is over. */
  left: () => Promise<void>
}

/** One conversation and where it applies. */
export interface Conversation {
  hold: (cell: Cell) => Promise<void>
  /** Dialects whose clients cannot express it, and why. */
  unaskable?: Partial<Record<Dialect, string>>
  /** Upstreams for which the mapping tables refuse it: the row, the refusal's text, and the dialect if only its clients are refused. */
  refused?: Partial<Record<UpstreamName, { row: string; says: RegExp; dialect?: Dialect }>>
  /** Uses a separate model, because its failures count against the model. */
  breaks?: true
}

/** Asks one question and expects this text. */
export const says = async ({ ask }: Cell, question: Asked, text: string) => {
  const answer = await ask(question)
  expect([answer.text.trim(), answer.ending]).toEqual([text, 'stop'])
  return answer
}

/** A conversation with tools: expects the calls, sends the results, and answers the model's last answer. */
export async function withTools(cell: Cell, question: Asked, calls: [name: string, args: object][], results: Omit<Result, 'call'>[]) {
  const first = await cell.ask(question)
  expect([first.calls.map(({ name, args }) => [name, args]), first.ending]).toEqual([calls, 'calls'])
  const ids = first.calls.flatMap(({ id }) => id ?? [])
  expect(new Set(ids).size).toBe(ids.length)
  const given = results.map((result, index): Result => ({ ...result, call: first.calls[index] ?? { id: undefined, name: '', args: {} } }))
  return cell.ask({ ...question, turns: [...question.turns, { answer: first }, { results: given }] })
}

/** The fault that the client received, and the text received before it. */
export async function faultOf(cell: Cell, said: string): Promise<{ received: string; fault: Fault }> {
  let received = ''
  const onText = (piece: string) => {
    received += piece
  }
  const fault = await cell
    .ask({ turns: [{ user: said }], onText })
    .then(
      ({ text, ending }): Fault => ({ kind: 'unknown', thrown: `answered ${JSON.stringify(text)}, ended ${ending}` }),
      cell.client.faultOf,
    )
  return { received, fault }
}

/** Two steps' opaque states as each vendor gives them; Chat has none. */
const states: Partial<Record<UpstreamName, RegExp>> = {
  responses: /gAAAA-scripted-state-\d+/g,
  messages: /"signature":"[A-Za-z0-9+/=]+"/g,
  gemini: /"(?:thoughtSignature|thought_signature)":"c2Ny[A-Za-z0-9+/=]+"/g,
}

/** Thinks and calls a tool twice before it answers; the vendor's opaque state must be returned to it. */
export async function loop(cell: Cell): Promise<void> {
  const turns: Turn[] = [{ user: 'scenario loop' }]
  const tools = ['find']
  for (let step = 1; step <= 3; step++) {
    const answer = await cell.ask({ turns, tools, thinks: true })
    const received = [1, 2].map((number) => asReceived(cell, 'find', `result ${number}`))
    if (step === 3) expect([answer.text, answer.ending]).toEqual([`Found: ${received.join(', ')}`, 'stop'])
    else expect(answer.calls.map(({ name, args }) => [name, args])).toEqual([['find', { step }]])
    if (cell.client.hidesThoughts) expect(answer.thought).toBe('')
    else expect(answer.thought).toContain('think… 思考 at ')
    turns.push({ answer }, { results: answer.calls.map((call) => ({ call, text: `result ${step}` })) })
  }
  const state = states[cell.upstream]
  if (state !== undefined) expect(new Set(cell.sent()[2]?.match(state)).size).toBe(2)
}

/** A tool's result as the model receives it. */
export const asReceived = ({ client }: Cell, tool: string, text: string, failed = false): string =>
  client.wraps?.(tool, text, failed) ?? text

/** A broken stream delivers its content and then fails; a broken whole answer only fails. */
export async function broken(cell: Cell, said: string): Promise<void> {
  const { received, fault } = await faultOf(cell, said)
  // Some SDKs read a status out of an error inside a stream.
  const told = isOurs(fault) || (cell.stream && fault.kind === 'stream')
  expect(told || fault).toBe(true)
  if (cell.stream) expect(received).toStartWith('This ')
  else expect(received).toBe('')
}

/** Whether the status does not blame the caller. */
export const isOurs = (fault: Fault): boolean => fault.kind === 'status' && [500, 502, 503, 504, 529].includes(fault.status)
