/**
 * Who pays for what when a stream ends early: the table of docs/billing.md, "Who pays when a stream breaks", cell by cell, over TCP; and
 * the hold of a stream, which grows while it runs and ends it when it cannot.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sampledEngines } from '#testing/database/database'
import { faults, stream, wait } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, type Session, startGateway, testModel } from './support/gateway.ts'

const usd = (nano: number) => (nano / 1e9).toFixed(9).replace(/\.?0+$/, '')
/** At 1 USD per million input tokens and 2 USD per million output tokens. */
const charge = (input: number, output: number) => usd(input * 1000 + output * 2000)

/** Three tokens: digits are counted in groups of three. */
const said = '12345678'
const notCounted = 'this was never said'

interface Spoken {
  path: string
  headers: (key: string) => Record<string, string>
  body: object
  /** Before the first content. */
  opening: string
  says(text: string): string
  finish: string
  /** The final usage, before any finish reason: 1,000 in, 500 out. */
  told: string
  /** The finish reason with that usage. */
  finishTold: string
  end: string
  failure: string
  /** An error in the stream, and what ends it. */
  failed: RegExp
  refused: RegExp
  /** The input tokens charged when the upstream breaks: reported by it, or counted by Parley. */
  input: number
  provenance: 'estimated' | 'partial'
}

const asked = {
  model: testModel,
  messages: [{ role: 'user', content: 'Say the digits from one to eight.' }],
  stream: true,
  max_tokens: 100,
}
const event = (data: object, name?: string) => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`

const chunk = (fields: object) => event({ id: 'c', object: 'chat.completion.chunk', created: 1, model: testModel, ...fields })
const delta = (fields: object, finish_reason: string | null = null) => chunk({ choices: [{ index: 0, delta: fields, finish_reason }] })
const named = (type: string, fields: object = {}) => event({ type, ...fields }, type)
const chatUsage = chunk({ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 } })
const messageDelta = (output_tokens: number, stop_reason: string | null = 'end_turn') =>
  named('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } })

const dialects: Record<'chat' | 'messages', Spoken> = {
  chat: {
    path: '/v1/chat/completions',
    headers: (key) => ({ authorization: `Bearer ${key}` }),
    body: asked,
    opening: delta({ role: 'assistant', content: '' }),
    says: (content) => delta({ content }),
    finish: delta({}, 'stop'),
    told: chatUsage,
    finishTold: delta({}, 'stop') + chatUsage,
    end: 'data: [DONE]\n\n',
    failure: event({ error: { message: notCounted, type: 'server_error', code: null } }),
    failed: /"error":\{.*"code":"upstream_error".*\}\}\n\ndata: \[DONE\]\n\n$/,
    refused: /"type":"insufficient_quota".*"code":"insufficient_quota".*\}\}\n\ndata: \[DONE\]\n\n$/,
    input: 35,
    provenance: 'estimated',
  },
  messages: {
    path: '/v1/messages',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    body: asked,
    opening:
      named('message_start', {
        message: {
          ...{ id: 'msg_1', type: 'message', role: 'assistant', model: testModel, content: [], stop_reason: null, stop_sequence: null },
          usage: { input_tokens: 1000, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
        },
      }) + named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    says: (text) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    finish: named('content_block_stop', { index: 0 }) + messageDelta(0),
    told: messageDelta(500, null),
    finishTold: named('content_block_stop', { index: 0 }) + messageDelta(500),
    end: named('message_stop'),
    failure: named('error', { error: { type: 'overloaded_error', message: notCounted } }),
    failed: /event: error\ndata: \{"type":"error".*\}\n\n$/,
    refused: /event: error\ndata: \{"type":"error".*"billing_error".*\}\n\n$/,
    input: 1000,
    provenance: 'partial',
  },
}

interface Told {
  end: string
  status: number
  cost: string
  provenance: string | null
  error: { code: string } | null
  usage: { in: { fresh: number }; out: { total: number } } | null
  channel: string | null
  attempts: { channel: string; cause: string | null }[]
}

describe.each(sampledEngines(import.meta.file))('on %s', (engine) => {
  let first: ScriptedUpstream
  let second: ScriptedUpstream
  let gateway: Gateway

  beforeAll(async () => {
    first = await scriptedUpstream()
    second = await scriptedUpstream()
    gateway = await startGateway(engine)
    const timeouts = { firstEvent: 20, betweenEvents: 20 }
    for (const [group, vendor] of Object.entries({ chat: 'openai-compatible', messages: 'anthropic' })) {
      await gateway.admin.call('POST', '/api/groups', { name: group })
      await gateway.channel(`${group} first`, first.url, { vendor, groups: [group], priority: 1, timeouts })
      await gateway.channel(`${group} second`, second.url, { vendor, groups: [group], timeouts })
    }
    await gateway.price(testModel)
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    await first?.close()
    await second?.close()
  })

  beforeEach(() => gateway.heal())

  let people = 0
  async function person(group: string, balance = '1'): Promise<{ session: Session; key: string }> {
    people += 1
    const name = `${group}-${engine}-${people}`
    const password = `password of ${name}`
    await gateway.admin.call('POST', '/api/users', { name, password, balance, group })
    const session = await gateway.signIn(name, password)
    const { key } = await session.call<{ key: string }>('POST', '/api/keys', { name: 'k' })
    return { session, key }
  }

  async function rowOf(session: Session): Promise<Told> {
    for (let tries = 0; tries < 500; tries++) {
      const page = await session.call<{ data: { requestId: string }[] }>('GET', '/api/logs')
      if (page.data[0]) return gateway.log<Told>(page.data[0].requestId)
      await Bun.sleep(20)
    }
    throw new Error('no usage row came')
  }

  /** Reads until the text is there, or to the end. */
  async function heard(answer: Response, until?: string): Promise<string> {
    let text = ''
    const decoder = new TextDecoder()
    const reader = answer.body?.getReader()
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      text += decoder.decode(piece.value, { stream: true })
      if (until !== undefined && text.includes(until)) break
    }
    return text
  }

  describe.each(Object.entries(dialects))('%s', (group, spoken) => {
    const { opening, says, finish, told, finishTold, end, failure, input, provenance } = spoken
    const ask = (key: string, signal?: AbortSignal, body: object = spoken.body) =>
      fetch(gateway.url + spoken.path, {
        method: 'POST',
        headers: { ...spoken.headers(key), 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      })

    /** The client reads to the end. */
    async function stays(): Promise<{ row: Told; text: string; status: number; session: Session }> {
      const { session, key } = await person(group)
      const answer = await ask(key)
      const text = await heard(answer)
      return { row: await rowOf(session), text, status: answer.status, session }
    }

    /** The client leaves once it has read this; undefined = once the upstream has the request. */
    async function leaves(after: string | undefined, upstream = first): Promise<{ row: Told; goneAfterMs: number; session: Session }> {
      const { session, key } = await person(group)
      const abort = new AbortController()
      const number = upstream.requests.length
      const pending = ask(key, abort.signal)
      pending.catch(() => undefined)
      await upstream.received(number)
      if (after !== undefined) await heard(await pending, after)
      await Bun.sleep(50)
      const left = performance.now()
      abort.abort()
      await upstream.exchanges[number]?.gone
      return { row: await rowOf(session), goneAfterMs: performance.now() - left, session }
    }

    const paid = async (session: Session, cost: string) => {
      expect(await session.call('GET', '/api/session')).toMatchObject({ user: { held: '0', balance: usd(1e9 - Number(cost) * 1e9) } })
    }
    const byProvider = { provenance: 'provider', cost: charge(1000, 500), usage: { in: { fresh: 1000 }, out: { total: 500 } } }
    const byUs = { provenance, cost: charge(input, 3), usage: { in: { fresh: input }, out: { total: 3 } } }
    const nothing = { provenance: null, cost: '0', usage: null }
    const hangs = (...pieces: string[]): Script => stream(pieces, { ending: 'hang' })
    const breaks = (...pieces: string[]): Script => stream(pieces, { everyMs: 100, ending: 'reset' })

    test('a) failed before any output, client stayed: an error status, nothing charged', async () => {
      first.next(faults.beforeHead.reset)
      second.next(faults.beforeHead.reset, faults.beforeHead.reset)
      const { row, status, session } = await stays()
      expect(status).toBe(502)
      expect(row).toMatchObject({ ...nothing, end: 'error', status: 502, error: { code: 'upstream_error' } })
      await paid(session, '0')
    })

    test('a) failed before any output, client left: nothing charged', async () => {
      first.next(faults.hang)
      const { row, session } = await leaves(undefined)
      expect(row).toMatchObject({ ...nothing, end: 'aborted', status: 499, error: { code: 'client_closed_request' } })
      await paid(session, '0')
    })

    test('b) the final usage came, client stayed: it is charged although the stream broke', async () => {
      first.next(breaks(opening + says(said), told))
      const { row, text, session } = await stays()
      expect(text).toMatch(spoken.failed)
      expect(row).toMatchObject({ ...byProvider, end: 'cut', status: 200, error: { code: 'upstream_error' } })
      await paid(session, row.cost)
    })

    test('b) the final usage came, client left: it is charged', async () => {
      first.next(hangs(opening, says(said) + told))
      const { row, session } = await leaves(said)
      expect(row).toMatchObject({ ...byProvider, end: 'aborted', status: 499, error: { code: 'client_closed_request' } })
      await paid(session, row.cost)
    })

    test.each([
      ['with the final usage', finishTold, byProvider],
      ['without it', finish, byUs],
    ])('b) the finish came %s and the connection broke before the terminator: a whole answer', async (_, last, charged) => {
      first.next(breaks(opening + says(said), last))
      const { row, text, session } = await stays()
      expect(text).toEndWith(end)
      expect(text).not.toMatch(spoken.failed)
      expect(row).toMatchObject({ ...charged, end: 'complete', status: 200, error: null })
      expect(row.attempts.map(({ cause }) => cause)).toEqual([null])
      await paid(session, row.cost)
    })

    test('c) output began and the upstream broke, client stayed: an error in the stream, input and output delivered are charged', async () => {
      first.next(breaks(opening + says(said)))
      const { row, text, session } = await stays()
      expect(text).toContain(said)
      expect(text).toMatch(spoken.failed)
      expect(row).toMatchObject({ ...byUs, end: 'cut', status: 200, error: { code: 'upstream_error' } })
      await paid(session, row.cost)
    })

    test('c) output began and the upstream broke, client left: the same charge', async () => {
      let leave = () => {}
      const left = new Promise<void>((resolve) => (leave = resolve))
      first.next(async (exchange) => {
        await stream([opening, says(said)], { ending: 'hang' })(exchange)
        await left
        exchange.reset()
      })
      const { session, key } = await person(group)
      const abort = new AbortController()
      await heard(await ask(key, abort.signal), said)
      abort.abort()
      leave()
      const row = await rowOf(session)
      expect(row).toMatchObject(byUs)
      expect(['aborted', 'cut']).toContain(row.end)
      await paid(session, row.cost)
    })

    test('d) output began, client stayed, however slowly it reads: nobody ends the upstream', async () => {
      first.next(stream([opening + says(said), says(said), finishTold, end], { everyMs: 150 }))
      const { session, key } = await person(group)
      const answer = await ask(key)
      await Bun.sleep(1_000)
      expect(await heard(answer)).toEndWith(end)
      const row = await rowOf(session)
      expect(row).toMatchObject({ ...byProvider, end: 'complete', status: 200, error: null })
      await paid(session, row.cost)
    })

    test('d) output began, client left: the upstream is ended at once, and what it delivered is charged', async () => {
      first.next(hangs(opening, says(said)))
      const { row, goneAfterMs, session } = await leaves(said)
      expect(goneAfterMs).toBeLessThan(20 * 50)
      expect(row).toMatchObject({ ...byUs, end: 'aborted', status: 499, error: { code: 'client_closed_request' } })
      await paid(session, row.cost)
    })

    test('e) another channel took over, client stayed: only what delivered is charged', async () => {
      first.next(breaks(opening))
      second.next(stream([opening, says(said), finishTold, end]))
      const { row, text, session } = await stays()
      expect(text).toEndWith(end)
      expect(row).toMatchObject({ ...byProvider, end: 'complete', channel: `${group} second`, error: null })
      expect(row.attempts.map(({ channel, cause }) => [channel, cause])).toEqual([
        [`${group} first`, 'upstream_error'],
        [`${group} second`, null],
      ])
      await paid(session, row.cost)
    })

    test('e) another channel took over, client left: only what delivered is charged', async () => {
      first.next(breaks(opening))
      second.next(hangs(opening, says(said)))
      const { row, session } = await leaves(said, second)
      expect(row).toMatchObject({ ...byUs, end: 'aborted', channel: `${group} second` })
      expect(row.attempts.map(({ channel }) => channel)).toEqual([`${group} first`, `${group} second`])
      await paid(session, row.cost)
    })

    test('f) an error inside a 200 stream, client stayed: an error, and its text is no output', async () => {
      first.next(stream([opening + says(said), failure, says(notCounted)], { everyMs: 50 }))
      const { row, text, session } = await stays()
      expect(text).not.toContain('"stop_reason":"end_turn"')
      expect(text).not.toContain('finish_reason":"stop"')
      expect(row).toMatchObject({ ...byUs, end: 'error', status: 200 })
      expect(row.error?.code).toStartWith('upstream_')
      await paid(session, row.cost)
    })

    test('f) an error inside a 200 stream, client left: its text is no output', async () => {
      first.next(async (exchange) => {
        await stream([opening, says(said)], { ending: 'hang' })(exchange)
        await Promise.race([exchange.gone, wait(400)])
        await exchange.chunk(failure).catch(() => undefined)
      })
      const { row, session } = await leaves(said)
      expect(row).toMatchObject({ ...byUs, end: 'aborted' })
      await paid(session, row.cost)
    })

    test('g) an empty answer, client stayed: the input is charged, and the row says so', async () => {
      first.next(stream([opening, finish, end]))
      const { row, text, session } = await stays()
      expect(text).toEndWith(end)
      expect(row).toMatchObject({
        end: 'complete',
        status: 200,
        cost: charge(input, 0),
        usage: { in: { fresh: input }, out: { total: 0 } },
      })
      expect(row.error?.code).toBe('empty_answer')
      await paid(session, row.cost)
    })

    test('g) an empty answer, client left: the input is charged', async () => {
      first.next(hangs(opening, finish))
      const { row, session } = await leaves('stop')
      expect(row).toMatchObject({ end: 'aborted', cost: charge(input, 0), usage: { out: { total: 0 } } })
      await paid(session, row.cost)
    })
  })

  describe('a hold that grows', () => {
    /** Up to 40,000 tokens of four bytes each, a hundred at a time, unless the client disconnects; then the ending. */
    const hundred = 'word '.repeat(80)
    const long =
      (spoken: Spoken, everyMs: number, ending: 'end' | 'hang'): Script =>
      async (exchange) => {
        await stream([spoken.opening], { ending: 'hang' })(exchange)
        for (let sent = 0; sent < 400 && !exchange.isGone(); sent++) {
          await exchange.chunk(spoken.says(hundred))
          await wait(everyMs)
        }
        if (exchange.isGone() || ending === 'hang') return
        await exchange.chunk(spoken.finishTold + spoken.end)
        await exchange.lastChunk()
      }
    const unbounded = ({ body }: Spoken) => ({ ...body, max_tokens: 50_000 })

    test.each(Object.entries(dialects))('%s: a long answer begins with a slice and holds more as it goes', async (group, spoken) => {
      first.next(long(spoken, 5, 'end'))
      const { session, key } = await person(group)
      const answer = await fetch(gateway.url + spoken.path, {
        method: 'POST',
        headers: { ...spoken.headers(key), 'content-type': 'application/json' },
        body: JSON.stringify(unbounded(spoken)),
      })
      const heldNow = async () => Number((await session.call<{ user: { held: string } }>('GET', '/api/session')).user.held)
      const reading = heard(answer)
      let most = 0
      let over = false
      void reading.then(() => (over = true))
      while (!over) {
        most = Math.max(most, await heldNow())
        await Bun.sleep(20)
      }
      expect(await reading).toEndWith(spoken.end)
      console.log(`${group}: ${most} USD were held at most for what could have come to 0.1`)
      // Two slices are 0.016; all that the answer may come to is 0.1.
      expect(most).toBeGreaterThan(0.017)
      expect(most).toBeLessThan(0.11)
      expect(await rowOf(session)).toMatchObject({ end: 'complete', provenance: 'provider' })
      expect(await heldNow()).toBe(0)
    })

    test.each(Object.entries(dialects))('%s: when the balance ends, so does the stream, in its own words', async (group, spoken) => {
      // Not ended by itself: the connection of an answer that ended in time would be kept.
      first.next(long(spoken, 1, 'hang'))
      const number = first.requests.length
      const { session, key } = await person(group, '0.02')
      const ask = (body: object) =>
        fetch(gateway.url + spoken.path, {
          method: 'POST',
          headers: { ...spoken.headers(key), 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      // An answer in one piece holds all that it may come to.
      const refused = await ask({ ...unbounded(spoken), stream: false })
      expect(refused.status).toBe(group === 'messages' ? 402 : 429)
      const answer = await ask(unbounded(spoken))
      expect(answer.status).toBe(200)
      const text = await heard(answer)
      await first.exchanges[number]?.gone
      expect(text).toMatch(spoken.refused)
      expect(text).not.toContain('"end_turn"')
      expect(text).not.toContain('"stop"')
      const row = await rowOf(session)
      expect(row).toMatchObject({ end: 'error', status: 200, provenance: spoken.provenance, error: { code: 'insufficient_quota' } })
      const { user } = await session.call<{ user: { balance: string; held: string } }>('GET', '/api/session')
      expect(user.held).toBe('0')
      expect(Number(user.balance)).toBeGreaterThanOrEqual(0)
      // The answer cost nearly all of the balance, and not more.
      expect(Number(user.balance)).toBeLessThan(0.001)
      const words = text.split('word').length - 1
      console.log(`${group}: ${words} words for 0.02 USD, ${row.usage?.out.total} tokens charged, ${user.balance} left`)
      expect(words).toBeGreaterThan(9_000)
    })

    test.each(Object.entries(dialects))(
      '%s: an answer longer than asked for is cut at the balance, in one packet too',
      async (group, spoken) => {
        // 4,000 words for a request that asks for 5 tokens; the upstream says no usage.
        const words = Array.from({ length: 200 }, () => spoken.says(' word'.repeat(20)))
        first.next(stream([[spoken.opening, ...words, spoken.finish, spoken.end].join('')]))
        const { session, key } = await person(group, '0.002')
        const answer = await fetch(gateway.url + spoken.path, {
          method: 'POST',
          headers: { ...spoken.headers(key), 'content-type': 'application/json' },
          body: JSON.stringify({ ...spoken.body, max_tokens: 5 }),
        })
        const text = await heard(answer)
        const delivered = text.split(' word').length - 1
        const { user } = await session.call<{ user: { balance: string } }>('GET', '/api/session')
        console.log(`${group}: ${delivered} of 4,000 words for 0.002 USD, ${user.balance} left`)
        // 1,000 tokens are covered; one event may pass beyond that.
        expect(delivered).toBeGreaterThan(200)
        expect(delivered).toBeLessThan(1_100)
        expect(text).toMatch(spoken.refused)
        expect(await rowOf(session)).toMatchObject({ end: 'error', error: { code: 'insufficient_quota' } })
      },
    )
  })
})
