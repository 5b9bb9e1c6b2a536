/**
 * Real coding agents through Parley, each on upstream dialects chosen by the seed, or on every one in a deep run: given the task to write a
 * file and run a command, they do both with their own tools and report the result. The upstreams are scripted vendors that refuse what the
 * real ones refuse. The agents are large, so this runs where `npm test` has installed them: if CI is set, or if this file is named.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sampledEngine } from '#testing/database/database'
import { runSeed, sampled } from '#testing/sample'
import { type Script, type ScriptedUpstream, scriptedUpstream } from '#testing/upstream/scripted-upstream'
import { chatVendor } from '#testing/vendors/chat-vendor'
import { geminiVendor } from '#testing/vendors/gemini-vendor'
import { messagesVendor } from '#testing/vendors/messages-vendor'
import { responsesVendor } from '#testing/vendors/responses-vendor'
import { type Agent, agents, areInstalled, type Post, type Start, setUpAgents } from './support/coding-agents.ts'
import { type Gateway, type Session, startGateway } from './support/gateway.ts'
import { type Outcome, type Workplace, workplace } from './support/workplace.ts'

/** Each has a model with a name that Parley knows. */
const upstreams: Record<string, { vendor: string; model: string; script: Script; speaks?: string[] }> = {
  chat: { vendor: 'openai-compatible', model: 'gpt-test', script: chatVendor() },
  responses: { vendor: 'openai', model: 'gpt-test', script: responsesVendor(), speaks: ['responses'] },
  messages: { vendor: 'anthropic', model: 'claude-opus-4-8', script: messagesVendor({ models: ['claude-opus-4-8'] }) },
  gemini: { vendor: 'gemini', model: 'gemini-3-pro', script: geminiVendor({ models: ['gemini-3-pro'] }) },
}
/** Milliseconds allowed for a task; agents take one to eight seconds, on a busy machine many more. */
const limitMs = 90_000

let gateway: Gateway
const servers = new Map<string, ScriptedUpstream>()

const isAsked = process.env.PARLEY_AGENTS !== undefined
if (isAsked) describe('coding agents', everyAgent)
else test.skip('coding agents, which are not installed; to install and run them: npm test -- e2e/agents', () => {})

function everyAgent(): void {
  beforeAll(async () => {
    if (!areInstalled()) throw new Error('The agents are not installed: npm ci --ignore-scripts in e2e/agents')
    gateway = await startGateway(sampledEngine(import.meta.file), { env: { PARLEY_DEMO: 'off' } })
    for (const [name, { vendor, model, script, speaks }] of Object.entries(upstreams)) {
      const server = await scriptedUpstream(script)
      servers.set(name, server)
      const models = Object.values(agents).map(({ family }) => `${family}on-${name}`)
      for (const asked of models) await gateway.price(asked)
      await gateway.channel(name, server.url, {
        vendor,
        models: models.map((asked) => ({ name: asked, upstream: model })),
        ...(speaks && { speaks }),
      })
    }
  }, 90_000)

  afterAll(async () => {
    await gateway?.close()
    for (const server of servers.values()) await server.close()
  })

  describe('as parley agent setup leaves them', asSetUp)

  describe.each(Object.entries(agents))('%s', (name, agent) => {
    // One of them for each agent, all in a deep run.
    const seed = runSeed * 31 + Object.keys(agents).indexOf(name)
    test.each(sampled(Object.keys(upstreams), 1, { seed }))(
      'on %s',
      async (upstream) => {
        const server = servers.get(upstream)
        if (server === undefined) throw new Error('no such upstream')
        const since = server.requests.length
        const { session, key } = await gateway.user(`${name}-on-${upstream}`, '1')
        const model = `${agent.family}on-${upstream}`
        const { outcome, written } = await errand(agent, workplace(), (prompt) => agent.start({ url: gateway.url, key, model, prompt }))

        expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('QUIET WORDS') })
        expect(written.trim()).toBe('quiet words')
        const sent = server.requests.slice(since).map((request) => request.text())
        expect(sent.map((body) => body.includes('QUIET WORDS'))).toEqual([false, false, true])
        await expectRows(session, agent, upstream, sent.length)
        expect(gateway.program.output()).not.toMatch(/"level":"(warn|error|fatal)"/)
      },
      limitMs + 10_000,
    )
  })
}

/** What `parley agent setup` has written in this home, and nothing else, tells the agent where to go. */
function asSetUp(): void {
  const cli = join(import.meta.dir, '../server/cli.ts')
  test.each(Object.entries(setUpAgents))(
    '%s',
    async (name, start) => {
      const agent = agents[name]
      if (agent === undefined) throw new Error('no such agent')
      const { session, key } = await gateway.user(`${name}-set-up`, '1')
      const place = workplace()
      const model = `${agent.family}on-${sampled(Object.keys(upstreams), 1, { seed: runSeed })[0]}`
      const setup = ['agent', 'setup', name, '--model', model, '--write']
      const done = await place.run(
        { command: process.execPath, args: [cli, ...setup], env: { PARLEY_URL: gateway.url, PARLEY_KEY: key } },
        limitMs,
      )
      expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Written: ') })
      const { outcome, written } = await errand(agent, place, (prompt) => start({ key, prompt }))
      expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('QUIET WORDS') })
      expect(written.trim()).toBe('quiet words')
      const { data } = await session.call<{ data: { dialect: string; model: string; status: number }[] }>('GET', '/api/logs?limit=200')
      expect(data.length).toBeGreaterThanOrEqual(3)
      for (const row of data) expect(row).toMatchObject({ dialect: agent.dialect, model, status: 200 })
    },
    2 * limitMs + 10_000,
  )
}

/** The agent writes lowercase words to a file and converts them to uppercase, so its answer does not occur in the task. Clears the place. */
async function errand(
  agent: Agent,
  place: Workplace,
  start: (prompt: Post['prompt']) => Start,
): Promise<{ outcome: Outcome; written: string }> {
  try {
    const note = join(place.folder, 'note.txt')
    const steps = [agent.write(note, 'quiet words'), agent.shell('tr a-z A-Z < note.txt')]
    const lines = steps.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`)
    const prompt = ['scenario errand', ...lines, 'Then tell me how it went.'].join('\n')
    const outcome = await place.run(start(prompt), limitMs)
    return { outcome, written: outcome.code === 0 ? readFileSync(note, 'utf8') : '' }
  } finally {
    place.clear()
  }
}

interface Row {
  dialect: string
  stream: boolean
  status: number
  end: string
  error: unknown
  usage: { in: { fresh: number; cacheRead: number }; out: { total: number; reasoning: number } }
  cost: string
  losses: unknown[]
}

/** One row for each request of the task: complete, with the vendor's usage, and without a loss in the agent's own dialect. */
async function expectRows(session: Session, { dialect }: Agent, upstream: string, requests: number): Promise<void> {
  const { data } = await session.call<{ data: Row[] }>('GET', '/api/logs?limit=200')
  const rows = data.map(({ usage, losses, ...row }) => ({
    is: [row.dialect, row.stream, row.status, row.end, row.error],
    usage: [usage.in.fresh, usage.in.cacheRead, usage.out.total, usage.out.reasoning],
    cost: row.cost,
    hasLosses: upstream === dialect && losses.length > 0,
  }))
  // 90 input and 20 output tokens, at 1 and 2 USD per million.
  const row = { is: [dialect, true, 200, 'complete', null], usage: [30, 60, 20, 5], cost: '0.00013', hasLosses: false }
  expect(rows).toEqual(Array.from({ length: requests }, () => row))
}
