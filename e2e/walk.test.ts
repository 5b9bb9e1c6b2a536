/**
 * A sample of the walk over the SDKs' types through the real program: what arrives at a recording upstream, what the usage row and the header
 * say is lost, and what strict mode refuses are what the codecs alone do (`testing/walk`).
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Dialect, servedBy } from '#shared/ids'
import { sampledEngine } from '#testing/database/database'
import { isDeep, sampled } from '#testing/sample'
import { respondJson } from '#testing/upstream/scripted-answers'
import { type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { answerGuides } from '#testing/walk/answers'
import type { Outcome } from '#testing/walk/outcome'
import { requestCells, type WireCase } from '#testing/walk/request-cells'
import { type Endpoint, requestTypes } from '#testing/walk/requests'
import { everyCase, wireCasesOf } from '#testing/walk/walk'
import { dialectOf } from '#testing/walk/wire'
import { type Gateway, startGateway } from './support/gateway.ts'

/** Requests to one endpoint; each is asked four times of one upstream: with the case and without it, as usual and in strict mode. */
const perEndpoint = isDeep ? 150 : 4

const upstreams: Readonly<Record<Dialect, { vendor: string; speaks?: string[] }>> = {
  chat: { vendor: 'openai-compatible', speaks: ['chat'] },
  completions: { vendor: 'openai-compatible', speaks: ['completions'] },
  responses: { vendor: 'openai-compatible', speaks: ['responses'] },
  messages: { vendor: 'anthropic' },
  gemini: { vendor: 'gemini' },
}
const paths: Readonly<Record<Dialect, (model: string) => string>> = {
  chat: () => '/v1/chat/completions',
  completions: () => '/v1/completions',
  responses: () => '/v1/responses',
  messages: () => '/v1/messages',
  gemini: (model) => `/v1beta/models/${model}:generateContent`,
}

let gateway: Gateway
const servers = new Map<Dialect, ScriptedUpstream>()

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
  for (const [dialect, { vendor, speaks }] of Object.entries(upstreams) as [Dialect, (typeof upstreams)[Dialect]][]) {
    const server = await scriptedUpstream(respondJson(200, answerGuides[dialect].seed))
    servers.set(dialect, server)
    const models = [{ name: `to-${dialect}`, upstream: 'asked' }]
    await gateway.price(`to-${dialect}`)
    // Every value of every field is tried, those that cost more too.
    const options = { unpricedFields: 'allow' }
    await gateway.channel(dialect, server.url, { vendor, models, options, ...(speaks && { speaks }) })
  }
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  for (const server of servers.values()) await server.close()
})

interface Heard {
  status: number
  /** What the upstream received; undefined when it was not asked. */
  body: string | undefined
  losses: string[]
}

async function ask(from: Dialect, to: Dialect, raw: string, strict: boolean): Promise<Heard> {
  const server = servers.get(to)
  const model = `to-${to}`
  const since = server?.requests.length ?? 0
  const answer = await fetch(gateway.url + paths[from](model), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.key}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      ...(strict && { 'x-parley-strict': 'true' }),
    },
    body: named(raw, model),
  })
  await answer.text()
  const reported = answer.headers.get('x-parley-losses') ?? ''
  const body = server?.requests[since]?.text()
  if (answer.status !== 200) return { status: answer.status, body, losses: [] }
  const row = await gateway.log<{ losses: { field: string; what: string }[] }>(answer.headers.get('x-request-id') ?? '')
  // The header says what the row says.
  expect(row.losses.filter(({ field }) => !reported.includes(field))).toEqual([])
  return { status: answer.status, body, losses: row.losses.map(({ field, what }) => `${field} ${what}`) }
}

const named = (raw: string, model: string) => raw.replaceAll('"model":"asked"', `"model":"${model}"`)

function outcomeOf(from: Dialect, to: Dialect, raw: string, one: Heard, other: Heard): Outcome {
  if (one.status !== 200) {
    expect([400, 404]).toContain(one.status)
    return 'refused'
  }
  if (from === to) return one.body === raw ? 'same' : 'silent'
  if (other.status !== 200) return one.losses.length > 0 ? 'reported' : 'converted'
  if (one.losses.some((field) => !other.losses.includes(field))) return 'reported'
  return one.body === other.body ? 'silent' : 'converted'
}

/**
 * Files at addresses are not fetched here, what is kept while an answer is read is not seen at the upstream, breakpoints and searches are
 * facts of models, and a second model is not ours to name.
 */
const unseen = /files\.example|"stop"|"stopSequences"|"stop_sequences"|_cache_breakpoint|web_search|"model":"asked".*"model":"asked"/

const endpoints = (await everyCase()).filter(({ way, endpoint }) => way === 'request' && Object.hasOwn(requestTypes, endpoint))

test.each(endpoints.map((walk) => [walk.endpoint, walk] as const))(
  '%s',
  async (endpoint, walk) => {
    const from = dialectOf(endpoint as Endpoint)
    const some = { ...walk, cases: sampled(walk.cases, perEndpoint, { deep: false }) }
    const cases = (await wireCasesOf(some)).filter(({ body }) => !unseen.test(body))
    const wrong: unknown[] = []
    for (const one of cases) {
      const cells = await requestCells(from, one)
      for (const to of sampled(servedBy[from], 2, { deep: isDeep })) {
        const cell = cells.find((each) => each.to === to)
        const now = await inProgram(from, to, one)
        const isAlike = now.plain === cell?.plain && (now.strict === undefined || now.strict === (cell.strict === 'refused'))
        if (!isAlike) wrong.push({ path: one.path, to, program: now, codecs: cell })
      }
    }
    expect(wrong).toEqual([])
  },
  120_000,
)

/** `strict`: strict mode refuses it; undefined where it refuses the same without the case, too. */
async function inProgram(from: Dialect, to: Dialect, { body, base }: WireCase): Promise<{ plain: Outcome; strict: boolean | undefined }> {
  const other = await ask(from, to, base, false)
  const plain = outcomeOf(from, to, named(body, 'asked'), await ask(from, to, body, false), other)
  const isRefused = (await ask(from, to, body, true)).status !== 200
  const isOwn = plain === 'refused' || (await ask(from, to, base, true)).status === 200
  return { plain, strict: isOwn ? isRefused : undefined }
}
