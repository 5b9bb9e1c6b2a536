/** The conversations of the matrix: requests, and the required answers whatever the two dialects are. */
import { expect } from 'bun:test'
import { asReceived, broken, type Conversation, faultOf, isOurs, loop, says, withTools } from './cell.ts'
import type { Ending, Turn } from './dialogue.ts'

/** An image of 70 bytes. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const image = { mime: 'image/png', data: png }
const pdf = { mime: 'application/pdf', data: Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64') }
const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
}

const oneText = { completions: 'a prompt is one text (1.2)' }

export const conversations: Record<string, Conversation> = {
  text: {
    hold: async (cell) => {
      const { usage } = await says(cell, { turns: [{ user: 'hello 日本🎉 there' }] }, 'You said: hello 日本🎉 there')
      expect(usage).toEqual({ in: 10, cached: 0, out: 5 })
    },
  },
  'system prompt': {
    unaskable: oneText,
    hold: async (cell) =>
      void (await says(cell, { system: 'Be 親切.', turns: [{ user: 'scenario system' }] }, 'My instructions: Be 親切.')),
  },
  'multi-turn': {
    unaskable: oneText,
    hold: async (cell) => {
      const first = await says(cell, { turns: [{ user: 'one' }] }, 'You said: one')
      const turns: Turn[] = [{ user: 'one' }, { answer: first }, { user: 'two' }, { assistant: 'Three.' }, { user: 'scenario recall' }]
      const all = 'We said: user: one | assistant: You said: one | user: two | assistant: Three. | user: scenario recall'
      await says(cell, { turns }, all)
    },
  },
  'one tool': {
    unaskable: oneText,
    hold: async (cell) => {
      const question = { turns: [{ user: 'weather?' }], tools: ['weather'] }
      const answer = await withTools(cell, question, [['weather', { city: 'Paris' }]], [{ text: 'sunny' }])
      expect([answer.text, answer.ending]).toEqual([`You said: ${asReceived(cell, 'weather', 'sunny')}`, 'stop'])
    },
  },
  'three parallel tools': {
    unaskable: oneText,
    hold: async (cell) => {
      const question = { turns: [{ user: 'scenario tools' }], tools: ['weather', 'news', 'people'] }
      const calls: [string, object][] = [
        ['weather', { city: 'Paris' }],
        ['news', { city: 'Oslo' }],
        ['people', { city: '京都' }],
      ]
      const texts = ['sunny', '{"$ref":"none"}', 'many']
      const answer = await withTools(
        cell,
        question,
        calls,
        texts.map((text) => ({ text })),
      )
      const received = texts.map((text, index) => asReceived(cell, calls[index]?.[0] ?? '', text))
      expect(answer.text).toBe(`They say: ${received.join(', ')}`)
    },
  },
  'no-argument tool': {
    unaskable: oneText,
    hold: async (cell) => {
      const question = { turns: [{ user: 'scenario tools' }], tools: ['empty_ping'] }
      const answer = await withTools(cell, question, [['empty_ping', {}]], [{ text: 'pong' }])
      expect(answer.text).toBe(`They say: ${asReceived(cell, 'empty_ping', 'pong')}`)
    },
  },
  'forced tool': {
    unaskable: oneText,
    hold: async ({ ask }) => {
      const answer = await ask({ turns: [{ user: 'scenario talk' }], tools: ['weather', 'news'], force: 'news' })
      expect([answer.calls.map(({ name }) => name), answer.ending]).toEqual([['news'], 'calls'])
    },
  },
  'tool error': {
    unaskable: oneText,
    hold: async (cell) => {
      // Only two dialects can mark a tool result as failed; for the others the client or the gateway puts it into the text.
      const { dialect } = cell.client
      const marks = dialect === 'messages' || dialect === 'gemini'
      const text = marks ? 'boom' : 'Error: boom'
      const calls: [string, object][] = [['weather', { city: 'Paris' }]]
      const answer = await withTools(cell, { turns: [{ user: 'weather?' }], tools: ['weather'] }, calls, [{ text, failed: true }])
      const understood = cell.upstream === 'messages' || cell.upstream === 'gemini'
      const told = marks ? (understood ? '(failed) boom' : 'Error: boom') : asReceived(cell, 'weather', text, true)
      expect(answer.text).toBe(`You said: ${told}`)
    },
  },
  'tool result with image': {
    unaskable: { ...oneText, chat: 'a tool message holds text only (2.3, result images)' },
    hold: async (cell) => {
      const question = { turns: [{ user: 'scenario tools' }], tools: ['weather'] }
      const answer = await withTools(cell, question, [['weather', { city: 'Paris' }]], [{ text: 'a picture', image }])
      expect(answer.text).toBe(`They say: ${asReceived(cell, 'weather', 'a picture')} image/png of 70 bytes`)
    },
  },
  'reasoning loop': { unaskable: oneText, hold: loop },
  /** Every turn is checked by the other upstream's vendor: it must accept what the first one produced. */
  'change of upstream': {
    unaskable: oneText,
    hold: async (cell) => {
      const { ask, askNext } = cell
      const question = { turns: [{ user: 'scenario loop' }] as Turn[], tools: ['find'], thinks: true }
      for (const step of [1, 2]) {
        const answer = await (step === 1 ? askNext(question) : ask(question))
        expect(answer.calls.map(({ name, args }) => [name, args])).toEqual([['find', { step }]])
        question.turns.push({ answer }, { results: answer.calls.map((call) => ({ call, text: `result ${step}` })) })
      }
      const received = [1, 2].map((step) => asReceived(cell, 'find', `result ${step}`))
      expect((await askNext(question)).text).toBe(`Found: ${received.join(', ')}`)
    },
  },
  'image by data': {
    unaskable: oneText,
    hold: async (cell) => void (await says(cell, { turns: [{ user: 'scenario look', attached: image }] }, 'I see image/png of 70 bytes')),
  },
  'image by URL': {
    unaskable: oneText,
    // Its own clients' bytes are forwarded unchanged, and it accepts few URLs.
    refused: { gemini: { row: '2.2 Image URL: on Gemini only its own addresses', says: /cannot fetch/i, dialect: 'gemini' } },
    hold: async (cell) => {
      const { client, upstream } = cell
      const fetched = upstream === 'gemini' && client.dialect !== 'gemini'
      const url = fetched ? cell.picture : 'https://pictures.invalid/one.png'
      const answer = await cell.ask({ turns: [{ user: 'scenario look', attached: { mime: 'image/png', url } }] })
      // The scripted vendors open no URLs; the URL must be in the right field.
      expect([answer.text.trim(), answer.ending]).toEqual([fetched ? 'I see image/png of 70 bytes' : 'I see', 'stop'])
      const named = cell.sent()[0]?.includes(`"${upstream === 'responses' ? 'image_url' : 'url'}":"${url}"`)
      expect(named).toBe(!fetched)
    },
  },
  pdf: {
    unaskable: oneText,
    hold: async (cell) =>
      void (await says(cell, { turns: [{ user: 'scenario look', attached: pdf }] }, 'I see application/pdf of 15 bytes')),
  },
  'structured output': {
    unaskable: oneText,
    hold: async ({ ask }) => {
      const answer = await ask({ turns: [{ user: 'Who?' }], schema })
      expect(JSON.parse(answer.text)).toEqual({ name: 'Ada', age: 36 })
    },
  },
  'stop sequence': {
    unaskable: { responses: 'there is no stop in this dialect (2.5, stop)' },
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
      // Messages and Gemini do not distinguish a refusal by the model from a filter (2.7).
      const told: Ending = upstream === 'messages' || upstream === 'gemini' ? 'filter' : 'refusal'
      // Gemini blocks such a prompt without any text.
      const text = upstream === 'gemini' ? '' : 'I cannot help with that.'
      expect([answer.ending, answer.text]).toEqual([client.words?.[told] ?? told, text])
    },
  },
  'content filter': {
    hold: async ({ ask, client }) => {
      const answer = await ask({ turns: [{ user: 'scenario filter' }] })
      expect([answer.ending, answer.text]).toEqual([client.words?.filter ?? 'filter', 'This was going '])
    },
  },
  'error before': {
    breaks: true,
    hold: async (cell) => {
      const { fault, received } = await faultOf(cell, 'scenario error-first')
      expect([isOurs(fault) || fault, received]).toEqual([true, ''])
    },
  },
  'error after': { breaks: true, hold: (cell) => broken(cell, 'scenario error-late') },
  cut: { breaks: true, hold: (cell) => broken(cell, 'scenario cut') },
  'early end': { breaks: true, hold: (cell) => broken(cell, 'scenario eof') },
  abort: {
    hold: async (cell) => {
      const leave = new AbortController()
      let received = 0
      const onText = () => {
        received += 1
        if (received === 2) leave.abort()
      }
      const pending = cell.ask({ turns: [{ user: 'scenario endless' }], limit: 1000, signal: leave.signal, onText })
      const thrown = pending.then(
        () => undefined,
        (error: unknown) => error,
      )
      if (!cell.stream) {
        for (let tries = 0; tries < 500 && cell.sent().length === 0; tries++) await Bun.sleep(10)
        leave.abort()
      }
      expect(cell.client.faultOf(await thrown)).toEqual({ kind: 'left' })
      // A whole answer that was begun is paid for, so it is awaited (docs/billing.md); `e2e/money-left.test.ts` follows it to its end.
      if (cell.stream) await Promise.race([cell.left(), Bun.sleep(2000).then(() => Promise.reject(new Error('the upstream was not told')))])
    },
  },
  'usage with cache': {
    hold: async ({ ask }) => {
      const answer = await ask({ turns: [{ user: 'scenario cache' }] })
      expect(answer.usage).toEqual({ in: 100, cached: 60, out: 20 })
    },
  },
}
