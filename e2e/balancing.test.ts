/** Balancing from outside: the setting decides which channel of several is asked, and the simulator says why. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngines } from '#testing/database/database'
import { chatAnswer } from './support/chat-answer.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

/** Longer than a busy machine takes for the first request to a channel. */
const slowMs = 1_500

describe.each(sampledEngines(import.meta.file))('balancing on %s', (engine) => {
  let gateway: Gateway
  const asked: string[] = []
  /** Holds the answers of a vendor back. */
  const held = new Map<string, Promise<void>>()
  /** How many milliseconds a vendor takes. */
  const slow = new Map<string, number>()
  const vendor = (name: string) =>
    Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch() {
        asked.push(name)
        await held.get(name)
        await Bun.sleep(slow.get(name) ?? 0)
        return Response.json(chatAnswer())
      },
    })
  const vendors = ['a', 'b'].map((name) => ({ name, server: vendor(name) }))
  beforeAll(async () => {
    gateway = await startGateway(engine, { quickTimers: { 15000: 500 } })
    for (const { name, server } of vendors)
      await gateway.channel(name, server.url.href, { models: ['m'], costs: { m: { input: name === 'a' ? '3' : '1', output: '5' } } })
    await gateway.price('m', { input: '1', output: '1' })
  }, 90_000)
  afterAll(async () => {
    await gateway?.close()
    for (const { server } of vendors) await server.stop(true)
  })

  const chat = (model: string) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      // Nothing that would keep a conversation on its channel.
      body: JSON.stringify({ model, messages: [{ role: 'user', content: `Hi ${asked.length} ${Math.random()}` }] }),
    })
  const ask = async () => {
    const answer = await chat('m')
    expect(answer.status).toBe(200)
    await answer.text()
  }
  const set = (balancing: string) => gateway.admin.call<{ balancing?: string; changed: string[] }>('PATCH', '/api/settings', { balancing })
  interface Explained {
    balancing?: { mode: string; channels: { channel: string; figure: string }[] }
    candidates: { channel: string }[]
  }
  const explain = () =>
    gateway.admin.call<Explained>('POST', '/api/route', { body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] } })

  test('the lowest time to first content: unknown channels are tried, then the quicker one is used', async () => {
    await set('first_token')
    expect((await explain()).balancing?.channels.map(({ figure }) => figure)).toEqual(['not known yet', 'not known yet'])
    slow.set('a', slowMs)
    for (let n = 0; n < 6; n++) await ask()
    expect([asked.slice(0, 2).sort(), asked.slice(2)]).toEqual([
      ['a', 'b'],
      ['b', 'b', 'b', 'b'],
    ])
    slow.clear()
    const { balancing, candidates } = await explain()
    expect(candidates.map(({ channel }) => channel)).toEqual(['b', 'a'])
    const [b, a] = ['b', 'a'].map((name) => Number.parseInt(balancing?.channels.find(({ channel }) => channel === name)?.figure ?? '', 10))
    expect(a).toBeGreaterThanOrEqual(slowMs)
    expect(b).toBeLessThan(a ?? 0)
  })

  test('in turns', async () => {
    expect(await set('round_robin')).toMatchObject({ balancing: 'round_robin', changed: ['balancing'] })
    asked.length = 0
    for (let n = 0; n < 6; n++) await ask()
    expect([asked.slice(0, 2).sort(), asked.slice(2, 4), asked.slice(4, 6)]).toEqual([['a', 'b'], asked.slice(0, 2), asked.slice(0, 2)])
    expect((await explain()).balancing?.channels.map(({ figure }) => figure).sort()).toEqual([
      'last asked 0 attempts ago',
      'last asked 1 attempts ago',
    ])
  })

  test('the fewest open requests', async () => {
    await set('least_open')
    const released = Promise.withResolvers<void>()
    held.set('a', released.promise)
    asked.length = 0
    let waiting = Promise.resolve()
    // Equal channels are drawn.
    while (asked.at(-1) !== 'a') {
      await waiting
      const before = asked.length
      waiting = ask()
      while (asked.length === before) await Bun.sleep(5)
    }
    for (let n = 0; n < 4; n++) await ask()
    expect(asked.filter((name) => name === 'a')).toEqual(['a'])
    const figures = Object.fromEntries((await explain()).balancing?.channels.map(({ channel, figure }) => [channel, figure]) ?? [])
    expect(figures).toEqual({ a: '1 open', b: '0 open' })
    released.resolve()
    held.clear()
    await waiting
    expect((await explain()).balancing?.channels.map(({ figure }) => figure)).toEqual(['0 open', '0 open'])
  })

  test('the cheapest, and the draw again', async () => {
    await set('cheapest')
    asked.length = 0
    for (let n = 0; n < 4; n++) await ask()
    expect(asked).toEqual(['b', 'b', 'b', 'b'])
    const { balancing, candidates } = await explain()
    expect([balancing?.mode, candidates.map(({ channel }) => channel)]).toEqual(['cheapest', ['b', 'a']])
    expect(await set('weight')).not.toHaveProperty('balancing')
    expect(await explain()).not.toHaveProperty('balancing')
    expect((await gateway.admin.raw('PATCH', '/api/settings', { balancing: 'luck' })).status).toBe(400)
  })
  test('a resting channel is checked on a schedule: a real request, a row of the installation, no user is charged', async () => {
    let status = 500
    const checked: string[] = []
    const ill = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        if (status === 200) checked.push(((await request.json()) as { model: string }).model)
        return status === 200 ? Response.json(chatAnswer()) : Response.json({ error: { message: 'no' } }, { status })
      },
    })
    try {
      const models = { models: ['resting'], costs: { resting: { input: '3', output: '5' } } }
      const { id } = await gateway.channel('ill', ill.url.href, models)
      await gateway.price('resting', { input: '1', output: '1' })
      const health = () => gateway.admin.call<{ data: { state: string }[] }>('GET', `/api/channels/${id}/health`)
      while ((await health()).data[0]?.state !== 'open') expect((await chat('resting')).status).toBe(502)
      const balance = async () =>
        (await gateway.admin.call<{ data: { balance: string }[] }>('GET', '/api/users')).data.map((user) => user.balance)
      const before = await balance()
      status = 200
      expect(await gateway.admin.call('PATCH', '/api/settings', { checkMinutes: 1 })).toMatchObject({ checkMinutes: 1 })

      interface Row {
        requestId: string
        key: string
      }
      const rows = async () => (await gateway.admin.call<{ data: Row[] }>('GET', '/api/logs')).data
      let row: Row | undefined
      while (row === undefined) {
        await Bun.sleep(100)
        row = (await rows()).find(({ key }) => key === 'scheduled check')
      }
      expect(await gateway.log(row.requestId)).toMatchObject({
        ...{ model: 'resting', channel: 'ill', status: 200, end: 'complete', cost: '0', charged: '0', user: { id: 'house' } },
      })
      expect(checked).toEqual(['resting'])
      expect((await health()).data).toEqual([])
      expect(await balance()).toEqual(before)
    } finally {
      await gateway.admin.call('PATCH', '/api/settings', { checkMinutes: null })
      await ill.stop(true)
    }
  }, 60_000)
})
