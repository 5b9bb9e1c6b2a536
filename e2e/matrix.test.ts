/**
 * Every official SDK against every upstream dialect: the same conversations in all dialects, with scripted vendors that refuse what the
 * real ones refuse. A cell that is impossible says why, with its row of the mapping tables; the table of all cells is printed at the end. A
 * twelfth of them is run, all in a deep run; `?` in the table marks the others.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampledEngine } from '#testing/database/database'
import { sampled } from '#testing/sample'
import { respond } from '#testing/upstream/scripted-answers'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { geminiVendor } from '#testing/vendors/gemini-vendor'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { responsesVendor } from '#testing/vendors/responses-vendor'
import { type Cell, type UpstreamName, upstreamNames } from './matrix/cell.ts'
import { clients } from './matrix/clients.ts'
import { conversations, png } from './matrix/conversations.ts'
import type { Ask, Client } from './matrix/dialogue.ts'
import { keyOf, type Results, tableOf } from './matrix/table.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

/** Each has a model with a name that Parley knows. */
const upstreams: Record<UpstreamName, { vendor: string; model: string; script: Script; speaks?: string[] }> = {
  chat: { vendor: 'openai', model: 'gpt-test', script: chatVendor(), speaks: ['chat'] },
  responses: { vendor: 'openai', model: 'gpt-test', script: responsesVendor(), speaks: ['responses'] },
  messages: { vendor: 'anthropic', model: 'claude-sonnet-4-5', script: messagesVendor({ models: ['claude-sonnet-4-5'] }) },
  gemini: { vendor: 'gemini', model: 'gemini-3-pro', script: geminiVendor({ models: ['gemini-3-pro'] }) },
}
const clientNames = Object.keys(clients)
const conversationNames = Object.keys(conversations)

let gateway: Gateway
let pictures: ScriptedUpstream
const servers = new Map<UpstreamName, ScriptedUpstream>()
const asks = new Map<string, Ask>()

beforeAll(async () => {
  gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' }, loopbackMedia: true })
  for (const [name, client] of Object.entries(clients)) asks.set(name, client.connect(gateway.url, gateway.key))
  pictures = await scriptedUpstream(respond(200, { 'Content-Type': 'image/png' }, Buffer.from(png, 'base64')))
  for (const name of upstreamNames) {
    const { vendor, model, script, speaks } = upstreams[name]
    const server = await scriptedUpstream(script)
    servers.set(name, server)
    const own = cells.filter(([, upstream]) => upstream === name).map(modelOf)
    // A conversation may continue on another upstream.
    const models = new Set([...own, ...clientNames.map((client) => wellModel(client, name))])
    for (const asked of models) await gateway.price(asked)
    await gateway.channel(name, server.url, {
      // Tiers that cost more are tried too.
      options: { unpricedFields: 'allow' },
      vendor,
      models: [...models].map((asked) => ({ name: asked, upstream: model })),
      ...(speaks && { speaks }),
    })
  }
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  for (const server of [...servers.values(), pictures]) await server?.close()
  process.stdout.write(tableOf(conversationNames, clientNames, results))
})

const results: Results = { signs: new Map(), reasons: new Map(), notes: [] }
for (const [name, { hidesThoughts }] of Object.entries(clients)) {
  if (hidesThoughts) results.notes.push(`${name} shows no thoughts: ${hidesThoughts}`)
}
const modes = ['whole', 'streamed'] as const
type CellName = [client: string, upstream: UpstreamName, conversation: string, mode: (typeof modes)[number]]

/** The cells that can be asked; the others are recorded with a reason, without a test. */
const allCells = clientNames.flatMap((client) =>
  upstreamNames.flatMap((upstream) =>
    conversationNames.flatMap((name) =>
      modes.flatMap((mode): CellName[] => (canAsk(client, upstream, name) ? [[client, upstream, name, mode]] : [])),
    ),
  ),
)
const cells = sampled(allCells, Math.ceil(allCells.length / 12))
/** A model of this upstream that never fails. */
const wellModel = (client: string, upstream: UpstreamName) => `${clients[client]?.prefix ?? ''}on-${upstream}`
/** Failures make a model rest for a while, so each of those cells has its own. */
const modelOf = ([client, upstream, name, mode]: CellName) =>
  conversations[name]?.breaks
    ? `${clients[client]?.prefix ?? ''}broken-${upstream}-${slug(client)}-${slug(name)}-${mode}`
    : wellModel(client, upstream)
const slug = (text: string) => text.toLowerCase().replace(/[^a-z0-9.]+/g, '-')
const isBreaking = ([, , name]: CellName) => conversations[name]?.breaks === true

test.each(cells.filter((cell) => !isBreaking(cell)))('%s on %s: %s, %s', hold, 20_000)
// What breaks is asked again after a pause, and nothing else is looked at: all at once, or the pauses would be the most of it.
test.concurrent.each(cells.filter(isBreaking))('%s on %s: %s, %s', hold, 20_000)

function canAsk(clientName: string, upstream: UpstreamName, name: string): boolean {
  const client = clients[clientName]
  const own = client?.cannot?.[name]
  const why = client && conversations[name]?.unaskable?.[client.dialect]
  const reason = own === undefined ? why && `${client?.dialect} clients: ${why}` : `${name}, ${clientName}: ${own}`
  if (reason === undefined) return true
  results.signs.set(keyOf(name, clientName, upstream), ['-', '-'])
  results.reasons.set(reason, (results.reasons.get(reason) ?? 0) + 1)
  return false
}

async function hold(...[client, upstream, name, mode]: CellName): Promise<void> {
  const key = keyOf(name, client, upstream)
  const signs = results.signs.get(key) ?? []
  results.signs.set(key, signs)
  const at = modes.indexOf(mode)
  signs[at] = 'X'
  signs[at] = await signOf(client, upstream, name, mode === 'streamed')
}

const after = (name: UpstreamName): UpstreamName => upstreamNames[(upstreamNames.indexOf(name) + 1) % upstreamNames.length] ?? name

/** One cell: holds the conversation, or expects the refusal that the tables list. */
async function signOf(clientName: string, upstream: UpstreamName, name: string, stream: boolean): Promise<string> {
  const conversation = conversations[name]
  const [client, ask] = [clients[clientName], asks.get(clientName)]
  const server = servers.get(upstream)
  if (!conversation || !client || !ask || !server) throw new Error('no such cell')
  const model = modelOf([clientName, upstream, name, stream ? 'streamed' : 'whole'])
  const since = server.requests.length
  const cell: Cell = {
    client,
    upstream,
    stream,
    picture: `${pictures.url}/one.png`,
    ask: (question) => ask({ model, stream, ...question }),
    askNext: (question) => ask({ model: wellModel(clientName, after(upstream)), stream, ...question }),
    sent: () => server.requests.slice(since).map((request) => request.text()),
    left: () => server.exchanges[since]?.gone ?? Promise.reject(new Error('the upstream was not asked')),
  }
  const planned = conversation.refused?.[upstream]
  if (planned === undefined || (planned.dialect ?? client.dialect) !== client.dialect) {
    await conversation.hold(cell)
    return '+'
  }
  await refusal(conversation.hold(cell), client, planned.says)
  // A client of the upstream's own dialect is refused by the upstream itself.
  if (client.dialect !== upstream) expect(cell.sent()).toEqual([])
  return 'r'
}

async function refusal(held: Promise<void>, client: Client, says: RegExp): Promise<void> {
  const thrown = await held.then(
    () => new Error('not refused'),
    (error: unknown) => error,
  )
  expect(client.faultOf(thrown)).toEqual({ kind: 'status', status: 400 })
  expect(thrown instanceof Error ? thrown.message : '').toMatch(says)
}
