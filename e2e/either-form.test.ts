/**
 * R-UP-7: a whole answer to a streamed request is converted to a stream, and the reverse, for every client dialect on every upstream
 * dialect, charged by the upstream's reported usage. An answer that is neither remains an error.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { respond, respondJson, stream } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { ask, routes } from './support/faults/routes.ts'
import { goodStream, prices, text, trueCost, truth, type WireName, wireNames, wires } from './support/faults/wires.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

let upstream: ScriptedUpstream
let gateway: Gateway
let key: string

const modelOf = (wire: WireName) => `speaks-${wire}`

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  for (const name of wireNames) {
    const { vendor, speaks } = wires[name]
    await gateway.channel(name, upstream.url, { vendor, models: [modelOf(name)], ...(speaks && { speaks }) })
    await gateway.price(modelOf(name), prices)
  }
  key = (await gateway.user('somebody', '100')).key
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

interface Row {
  status: number
  end: string
  cost: string
  provenance: string | null
  attempts: { phase: string; cause: string | null }[]
}

const pairs = wireNames.flatMap((client) => wireNames.map((vendor) => [client, vendor] as const))

async function asked(client: WireName, vendor: WireName, isStream: boolean, ...scripts: Script[]) {
  await gateway.heal()
  upstream.next(...scripts)
  const told = await ask(gateway.url, key, routes[client], modelOf(vendor), isStream)
  return { told, row: await gateway.log<Row>(told.requestId) }
}

const whole = (vendor: WireName, type = 'application/json') => respond(200, { 'Content-Type': type }, wires[vendor].whole(truth))

describe.each(pairs)('%s on %s', (client, vendor) => {
  test.each(['application/json', 'application/json; charset=utf-8'])('%s where a stream was asked for', async (type) => {
    const { told, row } = await asked(client, vendor, true, whole(vendor, type))
    expect([told.status, told.kind, told.text]).toEqual([200, 'answer', text])
    expect(row).toMatchObject({ status: 200, end: 'complete', cost: trueCost, provenance: 'provider' })
    expect(row.attempts).toMatchObject([{ phase: 'done', cause: null }])
  })

  test.each(['text/event-stream', 'application/json'])('a stream, called %s, where a whole answer was asked for', async (type) => {
    const { told, row } = await asked(client, vendor, false, stream(goodStream(wires[vendor]), { headers: { 'Content-Type': type } }))
    expect([told.status, told.kind, told.text]).toEqual([200, 'answer', text])
    expect(row).toMatchObject({ status: 200, end: 'complete', cost: trueCost, provenance: 'provider' })
  })

  test('half of either, or an error in it, is an error and costs nothing', async () => {
    const { whole: json, refusal, opening, content, error } = wires[vendor]
    const half = respond(200, { 'Content-Type': 'application/json' }, json(truth).slice(0, -20))
    const begun = opening(truth) + content(text)
    const cases: [boolean, Script][] = [
      [true, half],
      [true, respondJson(200, refusal(500))],
      [false, stream([begun])],
      [false, stream([begun + error])],
    ]
    for (const [isStream, script] of cases) {
      const { told, row } = await asked(client, vendor, isStream, script, script)
      expect([told.status, told.kind]).toEqual([502, 'error'])
      expect(row).toMatchObject({ status: 502, cost: '0' })
    }
  }, 30_000)
})

test('without figures the estimate is reported and charged', async () => {
  for (const client of wireNames) {
    const silent = respond(200, { 'Content-Type': 'application/json' }, wires.chat.whole(undefined))
    const { told, row } = await asked(client, 'chat', true, silent)
    expect([told.kind, told.text]).toEqual(['answer', text])
    expect(row.provenance).toBe('estimated')
    expect(Number(row.cost)).toBeGreaterThan(0)
  }
})

test('a call of a tool comes through both ways', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } }
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  const body = {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    usage,
  }
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
  const post = (isStream: boolean) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: modelOf('chat'), messages: [{ role: 'user', content: 'Look.' }], tools, stream: isStream }),
    })
  upstream.next(respondJson(200, body))
  const streamed = await (await post(true)).text()
  expect(streamed).toContain('"name":"look"')
  expect(streamed).toContain('"finish_reason":"tool_calls"')
  expect(streamed).toEndWith('data: [DONE]\n\n')
  const events = streamed.split('\n\n').filter((event) => event.startsWith('data: {'))
  upstream.next(stream(events.map((event) => `${event}\n\n`).concat('data: [DONE]\n\n')))
  const answer = (await (await post(false)).json()) as { choices: { message: { tool_calls: { function: object }[] } }[] }
  expect(answer.choices[0]?.message.tool_calls[0]?.function).toEqual(call.function)
})
