/**
 * Every official SDK against every upstream dialect: the same conversations, held in four languages with scripted vendors
 * that refuse what the real ones refuse. A cell that cannot be says why, with its row of the mapping tables; the table of
 * all cells is printed at the end.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chatVendor } from '#testing/chat-vendor'
import { geminiVendor } from '#testing/gemini-vendor'
import { messagesVendor } from '#testing/messages-vendor'
import { responsesVendor } from '#testing/responses-vendor'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/scripted-upstream'
import type { Cell } from './support/cell.ts'
import { type ClientName, clientNames, clients } from './support/clients.ts'
import { conversations } from './support/conversations.ts'
import type { Ask } from './support/dialogue.ts'
import { type Gateway, startGateway } from './support/gateway.ts'

/** Each with a model of a name whose facts are known. */
const upstreams: Record<ClientName, { vendor: string; model: string; script: Script; speaks?: string[] }> = {
  chat: { vendor: 'openai', model: 'gpt-test', script: chatVendor(), speaks: ['chat'] },
  responses: { vendor: 'openai', model: 'gpt-test', script: responsesVendor(), speaks: ['responses'] },
  messages: { vendor: 'anthropic', model: 'claude-sonnet-4-5', script: messagesVendor({ models: ['claude-sonnet-4-5'] }) },
  gemini: { vendor: 'gemini', model: 'gemini-3-pro', script: geminiVendor({ models: ['gemini-3-pro'] }) },
}

let gateway: Gateway
let asks: Record<ClientName, Ask>
const servers = new Map<ClientName, ScriptedUpstream>()

beforeAll(async () => {
  gateway = await startGateway('embedded', { env: { PARLEY_DEMO: 'off' } })
  for (const name of clientNames) {
    const { vendor, model, script, speaks } = upstreams[name]
    const server = await scriptedUpstream(script)
    servers.set(name, server)
    const models = [`on-${name}`, `broken-${name}`]
    for (const asked of models) await gateway.price(asked)
    await gateway.channel(name, server.url, {
      vendor,
      models: models.map((asked) => ({ name: asked, upstream: model })),
      ...(speaks && { speaks }),
    })
  }
  asks = clients(gateway.url, gateway.key)
}, 90_000)

afterAll(async () => {
  await gateway?.close()
  for (const server of servers.values()) await server.close()
  printTable()
})

const modes = ['whole', 'streamed'] as const
/** Result by scenario, client and upstream, of both modes. */
const results = new Map<string, string[]>()

function printTable(): void {
  const pairs = clientNames.flatMap((client) => clientNames.map((upstream) => [client, upstream] as const))
  const width = Math.max(...Object.keys(conversations).map((name) => name.length))
  const lines = Object.keys(conversations).map((name) => {
    const cells = pairs.map(([client, upstream]) => (results.get(`${name} ${client} ${upstream}`) ?? ['?']).join(''))
    return `${name.padEnd(width)}  ${cells.map((cell, index) => `${index % 4 === 0 ? '| ' : ''}${cell.padEnd(3)}`).join('')}`
  })
  const initials = clientNames.map((name) => name[0]?.toUpperCase()).join('  ')
  const heads = clientNames.map((name) => `| ${name.padEnd(12)}`).join('')
  const legend =
    'client above, upstream below; first sign whole, second streamed: + answered, r refused as planned, - cannot be asked, X wrong'
  const table = [
    legend,
    `${''.padEnd(width)}  ${heads}`,
    `${''.padEnd(width)}  ${clientNames.map(() => `| ${initials}  `).join('')}`,
    ...lines,
  ]
  process.stdout.write(`${table.join('\n')}\n`)
}

describe.each([...clientNames])('%s client', (client) => {
  describe.each([...clientNames])('%s upstream', (upstream) => {
    describe.each([...modes])('%s', (mode) => {
      test.each(Object.keys(conversations))(
        '%s',
        async (name) => {
          const key = `${name} ${client} ${upstream}`
          const signs = results.get(key) ?? []
          results.set(key, signs)
          const at = signs.push('X') - 1
          signs[at] = await hold(name, client, upstream, mode === 'streamed')
        },
        20_000,
      )
    })
  })
})

const after = (name: ClientName) => clientNames[(clientNames.indexOf(name) + 1) % clientNames.length] ?? name

/** One cell: holds the conversation, or asserts the refusal that the tables plan. */
async function hold(name: string, client: ClientName, upstream: ClientName, stream: boolean): Promise<string> {
  const conversation = conversations[name]
  const server = servers.get(upstream)
  if (conversation === undefined || server === undefined) throw new Error('no such cell')
  if (conversation.unaskable?.[client] !== undefined) return '-'
  const model = conversation.breaks ? `broken-${upstream}` : `on-${upstream}`
  const since = server.requests.length
  const cell: Cell = {
    client,
    upstream,
    stream,
    ask: (question) => asks[client]({ model, stream, ...question }),
    askNext: (question) => asks[client]({ model: `on-${after(upstream)}`, stream, ...question }),
    sent: () => server.requests.slice(since).map((request) => request.text()),
    left: () => server.exchanges[since]?.gone ?? Promise.reject(new Error('the upstream was not asked')),
  }
  const planned = conversation.refused?.[upstream]
  if (planned === undefined) {
    await conversation.hold(cell)
    return '+'
  }
  const thrown = await faultOf(conversation.hold(cell))
  expect([thrown.status, thrown.message]).toEqual([400, expect.stringMatching(planned.says)])
  expect(cell.sent()).toEqual([])
  return 'r'
}

const faultOf = (work: Promise<void>): Promise<{ status?: number; message: string }> =>
  work.then(
    () => ({ message: 'not refused' }),
    (thrown: { status?: number; message: string }) => thrown,
  )
