/** The conversations of the matrix: what is asked through a cell, and what must come of it whatever the two dialects are. */
import { expect } from 'bun:test'
import { broken, type Conversation, faultOf, loop, says, withTools } from './cell.ts'
import type { Turn } from './dialogue.ts'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const image = { mime: 'image/png', data: png }
const pdf = { mime: 'application/pdf', data: Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64') }
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
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
      const question = { turns: [{ user: 'scenario tools' }], tools: ['empty_ping'] }
      const answer = await withTools(cell, question, [['empty_ping', {}]], [{ text: 'pong' }])
      expect(answer.text).toBe('They say: pong')
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
  /** Every turn is held against the rules of the other upstream's vendor: what one of them made must not trouble the other. */
  'change of upstream': {
    hold: async ({ ask, askNext }) => {
      const question = { turns: [{ user: 'scenario loop' }] as Turn[], tools: ['find'], thinks: true }
      for (const step of [1, 2]) {
        const answer = await (step === 1 ? askNext(question) : ask(question))
        expect(answer.calls.map(({ name, args }) => [name, args])).toEqual([['find', { step }]])
        question.turns.push({ answer }, { results: answer.calls.map((call) => ({ call, text: `result ${step}` })) })
      }
      expect((await askNext(question)).text).toBe('Found: result 1, result 2')
    },
  },
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
    hold: async ({ ask, client, upstream }) => {
      const answer = await ask({ turns: [{ user: 'scenario refusal' }] })
      // Messages and Gemini make no difference between a model that says no and a filter (2.7).
      const told = upstream === 'messages' || upstream === 'gemini' ? 'filter' : 'refusal'
      // Gemini blocks such a prompt without a word.
      const text = upstream === 'gemini' ? '' : 'I cannot help with that.'
      expect([answer.ending, answer.text]).toEqual([client === 'messages' ? 'refusal' : told, text])
    },
  },
  'content filter': {
    hold: async ({ ask, client }) => {
      const answer = await ask({ turns: [{ user: 'scenario filter' }] })
      expect([answer.ending, answer.text]).toEqual([client === 'messages' ? 'refusal' : 'filter', 'This was going '])
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
        for (let tries = 0; tries < 500 && cell.sent().length === 0; tries++) await Bun.sleep(10)
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
