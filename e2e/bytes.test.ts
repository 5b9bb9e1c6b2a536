/**
 * The byte test through the whole program: 200 requests and their streams with unknown fields, cut anywhere. What arrives at the upstream
 * and at the client equals what was sent, except for the closed list of edits.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { requestTexts, streamTexts } from '#testing/conversions/chat-texts'
import { sampledEngine } from '#testing/database/database'
import { seeded } from '#testing/seeded'
import { stream } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { type Gateway, startGateway } from './support/gateway.ts'

const rounds = 200
const asked = 'asked'
const upstreamName = 'up "1"'

let upstream: ScriptedUpstream
let gateway: Gateway

beforeAll(async () => {
  upstream = await scriptedUpstream()
  gateway = await startGateway(sampledEngine(import.meta.file))
  await gateway.channel('vendor', upstream.url, { models: [{ name: asked, upstream: upstreamName }, 'upstream'] })
  for (const model of [asked, 'upstream']) await gateway.price(model)
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  await upstream?.close()
})

async function send(body: string): Promise<string> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body,
  })
  // Not text(): it would swallow a byte order mark.
  return Buffer.from(await answer.arrayBuffer()).toString()
}

test('an aliased model: only the name and usage differ, in both directions', async () => {
  for (let seed = 1; seed <= rounds; seed++) {
    const random = seeded(seed)
    const [sent, arrives] = requestTexts(random, { asked: [asked, '\\u0061sked'], upstream: 'up \\"1\\"' }, true)
    const [comes, leaves] = streamTexts(random, true)
    upstream.next(stream(random.cut(Buffer.from(comes), random.pick([3, 40, 1000])).filter((piece) => piece.length > 0)))
    const number = upstream.requests.length
    expect({ seed, text: await send(sent) }).toEqual({ seed, text: leaves })
    expect({ seed, text: upstream.requests[number]?.text() }).toEqual({ seed, text: arrives })
  }
}, 60_000)

test('the model by its own name, usage asked for: not one byte differs', async () => {
  for (let seed = 1; seed <= rounds; seed++) {
    const random = seeded(seed)
    const [, body] = requestTexts(random, { asked: ['upstream'], upstream: 'upstream' }, true)
    const [comes] = streamTexts(random, false)
    upstream.next(stream(random.cut(Buffer.from(comes), random.pick([3, 40, 1000])).filter((piece) => piece.length > 0)))
    const number = upstream.requests.length
    expect({ seed, text: await send(body) }).toEqual({ seed, text: comes })
    expect({ seed, text: upstream.requests[number]?.text() }).toEqual({ seed, text: body })
  }
}, 60_000)

test('answers that are not streamed: not one byte differs but the name', async () => {
  for (let seed = 1; seed <= rounds; seed++) {
    const random = seeded(seed)
    const answer = (name: string) =>
      `{ "id":"c", "x": {"model":"deep","n":1.50}, "model" : "${name}","choices":[{"index":0,"message":{"role":"assistant","content":"日本\\ud83d\\ude00","new":${random.below(2) ? '1E400' : '-0'}},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5} }\n`
    const body = answer('up-2026')
    upstream.next(async (exchange) => {
      await exchange.head(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' })
      for (const piece of random.cut(Buffer.from(body), 60)) if (piece.length > 0) await exchange.chunk(piece)
      await exchange.lastChunk()
    })
    const request = `{"model":"upstream", "messages":[{"role":"user","content":"hi"}],"new":${random.below(9)}.0}`
    expect(await send(request)).toBe(body)
  }
}, 60_000)
