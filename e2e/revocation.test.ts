/** Revocation takes effect within a second on every instance, and open requests and sessions end within five with an explanation. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { engines, sampledEngines } from '#testing/database/database'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { startProgram } from '#testing/program/program'
import { faults, stream, wait } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, type Session, startGateway, testModel } from './support/gateway.ts'

const says = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
const finish = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`
const json = { 'content-type': 'application/json' }

/** In milliseconds; twenty times the guarantee. */
const refusedWithin = 20_000
const endedWithin = 100_000

const chat = (url: string, key: string, body: object = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: testModel, stream: true, messages: [{ role: 'user', content: 'hi' }], ...body }),
  })

const messages = (url: string, key: string) =>
  fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { ...json, 'x-api-key': key, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: testModel, stream: true, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }),
  })

const gemini = (url: string, key: string) =>
  fetch(`${url}/v1beta/models/${testModel}:streamGenerateContent?alt=sse`, {
    method: 'POST',
    headers: { ...json, 'x-goog-api-key': key },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
  })

const responses = (url: string, key: string) =>
  fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: testModel, stream: true, input: 'hi' }),
  })

/** Sends requests until one is refused; resolves to the refusal and how long it took. */
async function untilRefused(ask: () => Promise<Response>): Promise<{ answer: Response; ms: number }> {
  const started = performance.now()
  for (;;) {
    const answer = await ask()
    const ms = performance.now() - started
    if (answer.status !== 200 || ms > refusedWithin) return { answer, ms }
    await answer.text()
    await wait(20)
  }
}

/** The first answer of 200, or the last one after a while. */
async function untilAnswered(ask: () => Promise<Response>): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const answer = await ask()
    if (answer.status === 200 || tries === 100) return answer
    await answer.text()
    await wait(50)
  }
}

interface Row {
  status: number
  end: string
  error: { code: string } | null
  provenance: string | null
  cost: string
  usage: { out: { total: number } } | null
  attempts: { phase: string; cause: string | null }[]
}

describe.each(sampledEngines(import.meta.file))('revocation on %s', (engine) => {
  let upstream: ScriptedUpstream
  let gateway: Gateway

  beforeAll(async () => {
    upstream = await scriptedUpstream()
    gateway = await startGateway(engine)
    await gateway.channel('only', upstream.url)
    await gateway.price(testModel)
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    await upstream?.close()
  })

  const spoken = says('12345678')
  const endless = stream([spoken], { ending: 'hang' })
  let people = 0
  const person = () => gateway.user(`person ${++people}`, '5')
  const keyId = async (session: Session) => (await session.call<{ data: { id: string }[] }>('GET', '/api/keys')).data[0]?.id ?? ''
  const rowOf = (answer: Response) => gateway.log<Row>(answer.headers.get('x-request-id') ?? '')

  /** Opens a stream, revokes something after the first words, and reads to the end. */
  async function interrupted(open: () => Promise<Response>, withdraw: () => Promise<unknown>): Promise<{ text: string; row: Row }> {
    upstream.next(endless)
    const answer = await open()
    expect(answer.status).toBe(200)
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('12345678')) text += (await reader?.read())?.value ?? ''
    await withdraw()
    const started = performance.now()
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) text += piece.value
    const ms = performance.now() - started
    console.log(`ended ${(ms / 1000).toFixed(2)} s after it was withdrawn`)
    expect(ms).toBeLessThan(endedWithin)
    return { text, row: await rowOf(answer) }
  }

  const routes: [string, typeof messages, RegExp][] = [
    ['chat', chat, /data: \{"error":\{.*"code":"invalid_api_key".*\}\}\n\ndata: \[DONE\]\n\n$/],
    ['messages', messages, /event: error\ndata: \{"type":"error","error":\{"type":"authentication_error".*\n\n$/],
    ['gemini', gemini, /data: \{"error":\{"code":401.*"UNAUTHENTICATED".*\n\n$/s],
    ['responses', responses, /"code":"invalid_api_key"/],
  ]

  test.each(routes)(
    'an open stream of a disabled key ends with an error in its dialect, charged for what came (%s)',
    async (_, ask, word) => {
      const { session, key } = await person()
      const { text, row } = await interrupted(
        () => ask(gateway.url, key),
        async () => session.call('PATCH', `/api/keys/${await keyId(session)}`, { enabled: false }),
      )
      expect(text).toMatch(word)
      expect(row).toMatchObject({ status: 200, end: 'error', error: { code: 'invalid_api_key' }, provenance: 'estimated' })
      expect(row.usage?.out.total).toBe(3)
      expect(Number(row.cost)).toBeGreaterThan(0)
      const [me] = (await gateway.admin.call<{ data: { name: string; held: string }[] }>('GET', '/api/users?limit=200')).data.filter(
        ({ name }) => name === `person ${people}`,
      )
      expect(me?.held).toBe('0')
    },
  )

  test('so does one of a deleted key, of a disabled user, and of a group that the user left', async () => {
    const first = await person()
    const ofKey = await interrupted(
      () => chat(gateway.url, first.key),
      async () => first.session.call('DELETE', `/api/keys/${await keyId(first.session)}`),
    )
    expect(ofKey.row).toMatchObject({ end: 'error', error: { code: 'invalid_api_key' } })

    const second = await person()
    const ofUser = await interrupted(
      () => chat(gateway.url, second.key),
      () => gateway.admin.call('PATCH', `/api/users/${second.id}`, { enabled: false }),
    )
    expect(ofUser.row).toMatchObject({ end: 'error', error: { code: 'invalid_api_key' } })

    await gateway.admin.call('POST', '/api/groups', { name: `elsewhere ${engine}` })
    const third = await person()
    const ofGroup = await interrupted(
      () => chat(gateway.url, third.key),
      () => gateway.admin.call('PATCH', `/api/users/${third.id}`, { group: `elsewhere ${engine}` }),
    )
    expect(ofGroup.row).toMatchObject({ end: 'error', error: { code: 'group_not_allowed' } })
  }, 60_000)

  test('a stream in the playground ends when its user is disabled', async () => {
    const { session, id } = await person()
    const { text, row } = await interrupted(
      () => session.raw('POST', '/pg/chat/completions', { model: testModel, stream: true, messages: [{ role: 'user', content: 'hi' }] }),
      () => gateway.admin.call('PATCH', `/api/users/${id}`, { enabled: false }),
    )
    expect(text).toContain('"code":"not_signed_in"')
    expect(row).toMatchObject({ end: 'error', error: { code: 'not_signed_in' } })
  })

  test('and when its session ends: signed out, ended from another one, or by a new password', async () => {
    const asks = { model: testModel, stream: true, messages: [{ role: 'user', content: 'hi' }] }
    const ends: [string, (own: Session, name: string) => Promise<unknown>][] = [
      ['sign-out', (own) => own.call('DELETE', '/api/session')],
      [
        'another session',
        async (own, name) => {
          const { data } = await own.call<{ data: { id: string }[] }>('GET', '/api/sessions')
          const other = await gateway.signIn(name, `password of ${name}`)
          return other.call('DELETE', `/api/sessions/${data[0]?.id}`)
        },
      ],
      [
        'a new password',
        async (_, name) => {
          const other = await gateway.signIn(name, `password of ${name}`)
          return other.call('PATCH', '/api/session/password', { old: `password of ${name}`, new: 'a long new password' })
        },
      ],
    ]
    for (const [what, end] of ends) {
      const { session } = await person()
      const name = `person ${people}`
      const { text, row } = await interrupted(
        () => session.raw('POST', '/pg/chat/completions', asks),
        () => end(session, name),
      )
      expect([what, text]).toEqual([what, expect.stringContaining('"code":"not_signed_in"')])
      expect([what, row]).toMatchObject([what, { end: 'error', error: { code: 'not_signed_in' } }])
    }
  }, 60_000)

  test('an event stream of the console ends with its session, its user, or its management key', async () => {
    const ends: [string, (own: Session, id: string, manager: string) => Promise<unknown>][] = [
      ['signed out', (own) => own.call('DELETE', '/api/session')],
      ['disabled', (_, id) => gateway.admin.call('PATCH', `/api/users/${id}`, { enabled: false })],
      ['key withdrawn', (own, _, manager) => own.call('DELETE', `/api/management-keys/${manager}`)],
    ]
    for (const [what, end] of ends) {
      const { session, id } = await person()
      const manager = await session.call<{ id: string; key: string }>('POST', '/api/management-keys', { name: what, scopes: ['read'] })
      const as = what === 'key withdrawn' ? { authorization: `Bearer ${manager.key}` } : { cookie: session.cookie }
      const answer = await fetch(`${gateway.url}/api/events`, { headers: as })
      const reader = answer.body?.getReader()
      expect([what, answer.status, (await reader?.read())?.done]).toEqual([what, 200, false])
      await end(session, id, manager.id)
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read());
      expect([what, (await fetch(`${gateway.url}/api/events`, { headers: as })).status]).toEqual([what, 401])
    }
  }, 60_000)

  test('a stream of a key that may no longer use the model ends; one of a model that it keeps goes on', async () => {
    const { session, key } = await person()
    const released = Promise.withResolvers<void>()
    upstream.next(async (exchange) => {
      await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
      await exchange.chunk(spoken)
      await released.promise
      await exchange.chunk(finish)
      await exchange.lastChunk()
    })
    const kept = await person()
    const goesOn = await chat(gateway.url, kept.key)
    const { row } = await interrupted(
      () => chat(gateway.url, key),
      async () => {
        await kept.session.call('PATCH', `/api/keys/${await keyId(kept.session)}`, { models: [testModel] })
        await session.call('PATCH', `/api/keys/${await keyId(session)}`, { models: ['another model'] })
      },
    )
    expect(row).toMatchObject({ end: 'error', error: { code: 'model_not_found' } })
    released.resolve()
    expect(await goesOn.text()).toBe(spoken + finish)
  }, 30_000)

  test('nobody is charged where nothing had come: an honest status', async () => {
    const { session, key } = await person()
    upstream.next(faults.hang)
    const asked = upstream.received(upstream.requests.length)
    const pending = chat(gateway.url, key, { stream: false })
    await asked
    await wait(200)
    await session.call('PATCH', `/api/keys/${await keyId(session)}`, { enabled: false })
    const answer = await pending
    expect(answer.status).toBe(401)
    const row = await rowOf(answer)
    expect(row).toMatchObject({ status: 401, end: 'error', cost: '0', error: { code: 'invalid_api_key' } })
    expect(row.attempts).toMatchObject([{ cause: 'invalid_api_key' }])
  })

  test('a client that reads nothing is settled all the same, and others go on', async () => {
    const { session, key } = await person()
    const other = await person()
    const released = Promise.withResolvers<void>()
    upstream.next(
      async (exchange) => {
        await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
        await exchange.chunk(spoken)
        await released.promise
        await exchange.chunk(finish)
        await exchange.lastChunk()
      },
      async (exchange) => {
        await exchange.head(200, { 'Content-Type': 'text/event-stream', 'Transfer-Encoding': 'chunked' })
        while (!exchange.isGone()) await exchange.chunk(says('x'.repeat(64 * 1024)))
      },
    )
    const goesOn = await chat(gateway.url, other.key)
    const stalled = await chat(gateway.url, key)
    await wait(500)
    await session.call('PATCH', `/api/keys/${await keyId(session)}`, { enabled: false })
    let row: Row | undefined
    for (let tries = 0; tries < 200 && !row; tries++) {
      await wait(50)
      row = await rowOf(stalled).catch(() => undefined)
    }
    expect(row).toMatchObject({ end: 'error', error: { code: 'invalid_api_key' } })
    await stalled.body?.cancel()
    released.resolve()
    expect(await goesOn.text()).toBe(spoken + finish)
  })
})

test.if(engines.includes('postgres'))(
  'a key, a user and a channel withdrawn on one instance are refused on another within a second',
  async () => {
    const database = await newPostgresDatabase()
    const upstream = await scriptedUpstream(stream([says('x'), finish]))
    const shared = { DATABASE_URL: database.url, PARLEY_MASTER_KEY: 'ab'.repeat(32) }
    const here = await startGateway('embedded', { env: shared })
    const there = await startProgram({ env: shared })
    try {
      await here.channel('only', upstream.url)
      const { id: channel } = await here.channel('other', upstream.url, { models: ['other-model'] })
      await here.price(testModel)
      await here.price('other-model')
      const first = await here.user('first', '5')
      const second = await here.user('second', '5')
      const keys = await first.session.call<{ data: { id: string }[] }>('GET', '/api/keys')
      const withdrawn: [string, () => Promise<unknown>, () => Promise<Response>, number][] = [
        [
          'key',
          () => first.session.call('PATCH', `/api/keys/${keys.data[0]?.id}`, { enabled: false }),
          () => chat(there.url, first.key),
          401,
        ],
        ['user', () => here.admin.call('PATCH', `/api/users/${second.id}`, { enabled: false }), () => chat(there.url, second.key), 401],
        [
          'channel',
          () => here.admin.call('PATCH', `/api/channels/${channel}`, { enabled: false }),
          () => chat(there.url, here.key, { model: 'other-model' }),
          503,
        ],
      ]
      for (const [what, withdraw, ask, status] of withdrawn) {
        // The other instance learns of rows created on this one a moment later.
        const before = await untilAnswered(ask)
        expect([what, before.status]).toEqual([what, 200])
        await before.text()
        await withdraw()
        const { answer, ms } = await untilRefused(ask)
        console.log(`a ${what} was refused on the other instance after ${ms.toFixed(0)} ms`)
        expect([what, answer.status]).toEqual([what, status])
        expect(ms).toBeLessThan(refusedWithin)
      }
    } finally {
      await there.stop()
      await here.close()
      await upstream.close()
      await database.drop()
    }
  },
  120_000,
)
