/** The conversations of the matrix: what is asked through a cell, and what must come of it whatever the two dialects are. */
import { expect } from 'bun:test'
import type { ClientName } from './clients.ts'
import type { Answer, Question, Result, Turn } from './dialogue.ts'

export interface Cell {
  client: ClientName
  upstream: ClientName
  stream: boolean
  ask: (question: Omit<Question, 'model' | 'stream'>) => Promise<Answer>
  /** Bodies that the upstream has received in this cell. */
  sent: () => string[]
  /** Resolves when the upstream's first exchange of this cell is over. */
  left: () => Promise<void>
}

export interface Conversation {
  hold: (cell: Cell) => Promise<void>
  /** Clients whose dialect has no words for it, and why. */
  unaskable?: Partial<Record<ClientName, string>>
  /** Upstreams for which the mapping tables refuse it: the row, and what the refusal names. */
  refused?: Partial<Record<ClientName, { row: string; says: RegExp }>>
  /** Asked of a model of its own, which may be blamed. */
  breaks?: true
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const image = { mime: 'image/png', data: png }
const pdf = { mime: 'application/pdf', data: Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64') }
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
}

const says = async ({ ask }: Cell, question: Omit<Question, 'model' | 'stream'>, text: string) => {
  const answer = await ask(question)
  expect([answer.text.trim(), answer.ending]).toEqual([text, 'stop'])
  return answer
}

/** A conversation with tools: what is called first, the results, and what the model makes of them. */
async function withTools(
  cell: Cell,
  question: Omit<Question, 'model' | 'stream'>,
  calls: [name: string, args: object][],
  results: Omit<Result, 'call'>[],
) {
  const first = await cell.ask(question)
  expect([first.calls.map(({ name, args }) => [name, args]), first.ending]).toEqual([calls, 'calls'])
  expect(new Set(first.calls.map(({ id }) => id)).size).toBe(calls.length)
  const given = results.map((result, index): Result => ({ ...result, call: first.calls[index] ?? { id: undefined, name: '', args: {} } }))
  return cell.ask({ ...question, turns: [...question.turns, { answer: first }, { results: given }] })
}

async function faultOf(cell: Cell, said: string): Promise<{ heard: string; status: unknown }> {
  let heard = ''
  const hear = (piece: string) => {
    heard += piece
  }
  const thrown = await cell.ask({ turns: [{ user: said }], heard: hear }).then(
    (answer) => `answered ${JSON.stringify(answer.text)}, ended ${answer.ending}`,
    (error: unknown) => error,
  )
  expect(thrown).toBeInstanceOf(Error)
  return { heard, status: (thrown as { status?: unknown }).status }
}

/** Opaque states of two steps as each vendor gives them; Chat has none. */
const states: Partial<Record<ClientName, RegExp>> = {
  responses: /gAAAA-scripted-state-\d+/g,
  messages: /"signature":"[A-Za-z0-9+/=]+"/g,
  gemini: /"(?:thoughtSignature|thought_signature)":"c2Ny[A-Za-z0-9+/=]+"/g,
}

async function loop(cell: Cell): Promise<void> {
  const turns: Turn[] = [{ user: 'scenario loop' }]
  const tools = ['find']
  for (let step = 1; step <= 3; step++) {
    const answer = await cell.ask({ turns, tools, thinks: true })
    if (step === 3) expect([answer.text, answer.ending]).toEqual(['Found: result 1, result 2', 'stop'])
    else expect(answer.calls.map(({ name, args }) => [name, args])).toEqual([['find', { step }]])
    // Gemini's own client sees the thoughts of a stream only as the upstream wrote them; all others see them whole.
    expect(answer.thought).toContain('think… 思考 at ')
    turns.push({ answer }, { results: answer.calls.map((call) => ({ call, text: `result ${step}` })) })
  }
  const state = states[cell.upstream]
  if (state !== undefined) expect(new Set(cell.sent()[2]?.match(state)).size).toBe(2)
}

export const conversations: Record<string, Conversation> = {
  text: {
    hold: async (cell) => void (await says(cell, { turns: [{ user: 'hello 日本🎉 there' }] }, 'You said: hello 日本🎉 there')),
  },
  'system prompt': {
    hold: async (cell) =>
      void (await says(cell, { system: 'Be 親切.', turns: [{ user: 'scenario system' }] }, 'My instructions: Be 親切.')),
  },
  'multi-turn': {
    hold: async (cell) => {
      const first = await says(cell, { turns: [{ user: 'one' }] }, 'You said: one')
      const turns: Turn[] = [{ user: 'one' }, { answer: first }, { user: 'two' }, { assistant: 'Three.' }, { user: 'scenario recall' }]
      const all = 'We said: user: one | assistant: You said: one | user: two | assistant: Three. | user: scenario recall'
      await says(cell, { turns }, all)
    },
  },
  'one tool': {
    hold: async (cell) => {
      const question = { turns: [{ user: 'weather?' }], tools: ['weather'] }
      const answer = await withTools(cell, question, [['weather', { city: 'Paris' }]], [{ text: 'sunny' }])
      expect([answer.text, answer.ending]).toEqual(['You said: sunny', 'stop'])
    },
  },
  'three parallel tools': {
    hold: async (cell) => {
      const question = { turns: [{ user: 'scenario tools' }], tools: ['weather', 'news', 'people'] }
      const calls: [string, object][] = [
        ['weather', { city: 'Paris' }],
        ['news', { city: 'Oslo' }],
        ['people', { city: '京都' }],
      ]
      const answer = await withTools(cell, question, calls, [{ text: 'sunny' }, { text: '{"$ref":"none"}' }, { text: 'many' }])
      expect(answer.text).toBe('They say: sunny, {"$ref":"none"}, many')
    },
  },
  'no-argument tool': {
    hold: async (cell) => {
      const answer = await withTools(
        cell,
        { turns: [{ user: 'ping it' }], tools: ['empty_ping'] },
        [['empty_ping', {}]],
        [{ text: 'pong' }],
      )
      expect(answer.text).toBe('You said: pong')
    },
  },
  'forced tool': {
    hold: async ({ ask }) => {
      const answer = await ask({ turns: [{ user: 'scenario talk' }], tools: ['weather', 'news'], force: 'news' })
      expect([answer.calls.map(({ name }) => name), answer.ending]).toEqual([['news'], 'calls'])
    },
  },
  'tool error': {
    hold: async (cell) => {
      // Only two dialects can say that a tool failed; the others put it into the text, by themselves or by the gateway.
      const marks = cell.client === 'messages' || cell.client === 'gemini'
      const text = marks ? 'boom' : 'Error: boom'
      const calls: [string, object][] = [['weather', { city: 'Paris' }]]
      const answer = await withTools(cell, { turns: [{ user: 'weather?' }], tools: ['weather'] }, calls, [{ text, failed: true }])
      const understood = cell.upstream === 'messages' || cell.upstream === 'gemini'
      expect(answer.text).toBe(`You said: ${marks && understood ? '(failed) boom' : 'Error: boom'}`)
    },
  },
  'tool result with image': {
    unaskable: { chat: 'a tool message holds text only (2.3, result images)' },
    hold: async (cell) => {
      const question = { turns: [{ user: 'scenario tools' }], tools: ['weather'] }
      const answer = await withTools(cell, question, [['weather', { city: 'Paris' }]], [{ text: 'a picture', image }])
      expect(answer.text).toBe('They say: a picture image/png of 70 bytes')
    },
  },
  'reasoning loop': { hold: loop },
  'image by data': {
    hold: async (cell) => void (await says(cell, { turns: [{ user: 'scenario look', attached: image }] }, 'I see image/png of 70 bytes')),
  },
  pdf: {
    hold: async (cell) =>
      void (await says(cell, { turns: [{ user: 'scenario look', attached: pdf }] }, 'I see application/pdf of 15 bytes')),
  },
  'structured output': {
    hold: async ({ ask }) => {
      const answer = await ask({ turns: [{ user: 'Who?' }], schema })
      expect(JSON.parse(answer.text)).toEqual({ name: 'Ada', age: 36 })
    },
  },
  'stop sequence': {
    unaskable: { responses: 'there is no stop in this dialect (2.5, stop)' },
    refused: { responses: { row: '2.5 Stop: Responses upstream refused', says: /stop/i } },
    hold: async (cell) => void (await says(cell, { turns: [{ user: 'scenario count' }], stop: 'STOP' }, 'one two')),
  },
  'length cut': {
    hold: async ({ ask }) => {
      const answer = await ask({ turns: [{ user: 'scenario length' }], limit: 16 })
      expect([answer.text.trim().split(' ').length, answer.ending]).toEqual([16, 'length'])
    },
  },
  refusal: {
    hold: async ({ ask, upstream }) => {
      const answer = await ask({ turns: [{ user: 'scenario refusal' }] })
      expect(['refusal', 'filter']).toContain(answer.ending)
      // Gemini blocks such a prompt without a word.
      if (upstream !== 'gemini') expect(answer.text).toBe('I cannot help with that.')
    },
  },
  'content filter': {
    hold: async ({ ask }) => {
      const answer = await ask({ turns: [{ user: 'scenario filter' }] })
      expect(['refusal', 'filter']).toContain(answer.ending)
      expect(answer.text).toBe('This was going ')
    },
  },
  'error before': {
    breaks: true,
    hold: async (cell) => {
      const { status, heard } = await faultOf(cell, 'scenario error-first')
      expect([[502, 503, 529].includes(Number(status)), heard]).toEqual([true, ''])
    },
  },
  'error after': { breaks: true, hold: (cell) => broken(cell, 'scenario error-late') },
  cut: { breaks: true, hold: (cell) => broken(cell, 'scenario cut') },
  'early end': { breaks: true, hold: (cell) => broken(cell, 'scenario eof') },
  abort: {
    hold: async (cell) => {
      const leave = new AbortController()
      let heard = 0
      const hear = () => {
        heard += 1
        if (heard === 2) leave.abort()
      }
      const pending = cell.ask({ turns: [{ user: 'scenario endless' }], signal: leave.signal, heard: hear })
      const thrown = pending.then(
        () => undefined,
        (error: unknown) => error,
      )
      if (!cell.stream) {
        while (cell.sent().length === 0) await Bun.sleep(10)
        leave.abort()
      }
      expect(await thrown).toBeInstanceOf(Error)
      await Promise.race([cell.left(), Bun.sleep(2000).then(() => Promise.reject(new Error('the upstream was not told')))])
    },
  },
  'usage with cache': {
    hold: async ({ ask }) => {
      const answer = await ask({ turns: [{ user: 'scenario cache' }] })
      expect(answer.usage).toEqual({ in: 100, cached: 60, out: 20 })
    },
  },
}

/** A stream says what it had and then fails; a whole answer only fails. */
async function broken(cell: Cell, said: string): Promise<void> {
  const { heard, status } = await faultOf(cell, said)
  if (cell.stream) expect(heard).toStartWith('This ')
  else expect(Number(status)).toBeGreaterThanOrEqual(500)
}
