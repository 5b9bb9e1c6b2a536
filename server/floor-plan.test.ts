/**
 * The floor plan of the house, as data, and its keeper. ARCHITECTURE.md says why each room is there; this table says what it
 * may see. A change here is a change of the design: make it in a commit of its own.
 */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judge, type Plan, type Room, type Rule, roomOf } from '#testing/floor-plan'

const root = join(import.meta.dir, '..')
const manifest: Record<'dependencies' | 'devDependencies' | 'imports', Record<string, string>> = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
const browser = ['solid-js', '@solidjs/router', '@kobalte/core', '@tanstack/solid-virtual']
const reading = ['marked', 'dompurify', 'highlight.js', 'katex']
const pure = ['server/wire', 'server/canonical', 'shared']
const lower = ['server/runtime/contract', 'server/runtime', 'server/canonical', 'shared']
const everyPower = ['time', 'chance', 'network', 'process', 'console', 'worker', 'global'] as const

/** From the cellar to the roof: a room may only name rooms above it in this list. */
const rooms: Record<string, Room> = {
  shared: { may: [], packages: ['@sinclair/typebox'] },
  // drizzle-kit loads these files and resolves no aliases.
  db: { may: ['shared'], packages: ['drizzle-orm'], relative: true },
  // Checksums of event streams; nothing else of it.
  'server/wire': { may: ['shared'], packages: ['node:zlib'] },
  'server/canonical': { may: ['shared'] },
  'server/protocols/*': { may: pure },
  'server/protocols': { may: ['server/protocols/*', ...pure] },
  'server/vendors': { may: ['server/canonical', 'shared'] },
  'server/runtime/contract': { may: [] },
  'server/runtime/bun': { may: ['server/runtime/contract'], packages: ['node:'], powers: [...everyPower, 'bun'] },
  'server/runtime/deno': {
    may: ['server/runtime/contract'],
    packages: ['node:', '@node-rs/argon2'],
    powers: [...everyPower, 'deno'],
  },
  'server/runtime': {
    may: ['server/runtime/contract', 'server/runtime/bun', 'server/runtime/deno', 'shared'],
    packages: ['node:', 'pino'],
    powers: everyPower,
  },
  'server/store': {
    may: ['db', 'server/runtime', 'shared'],
    packages: ['drizzle-orm', 'postgres', '@electric-sql/pglite'],
    powers: ['worker'],
  },
  'server/upstream': {
    may: ['server/vendors', 'server/wire', ...lower],
    packages: ['node:dns', 'node:net', 'ipaddr.js', 'ws', 'jose', 'aws4fetch'],
    powers: ['network'],
  },
  // The checksum in its pictures.
  'server/demo': { may: ['server/upstream', 'server/protocols', 'server/wire', ...lower], packages: ['node:zlib'] },
  'server/vault': { may: ['server/store', ...lower] },
  // How long a sound lasts is read from its file, where no upstream says it.
  'server/metering': { may: ['server/store', ...lower], packages: ['music-metadata', 'gpt-tokenizer'] },
  'server/routing': { may: ['server/store', 'server/vendors', ...lower] },
  'server/accounts': { may: ['server/store', ...lower] },
  'server/declare': { may: ['server/accounts', 'server/routing', 'server/metering', 'server/runtime', 'shared'], packages: ['yaml'] },
  // What the steps of a request hand to each other.
  'server/relay/contract': {
    may: ['server/accounts', 'server/routing', 'server/metering', 'server/vault', 'server/upstream', ...lower],
  },
  // One request to one candidate, whatever it asks.
  'server/relay/exchange': {
    may: ['server/relay/contract', ...['server/routing', 'server/metering', 'server/upstream', 'server/vendors', 'server/wire'], ...lower],
  },
  'server/relay/spend': {
    may: ['server/relay/contract', 'server/relay/exchange', 'server/accounts', 'server/routing', 'server/metering', ...lower],
  },
  'server/relay/conversation': {
    may: [
      ...['server/relay/contract', 'server/relay/exchange'],
      ...['server/routing', 'server/vault', 'server/upstream', 'server/vendors', 'server/protocols', 'server/wire'],
      ...lower,
    ],
  },
  'server/relay/operation': {
    may: [
      ...['server/relay/contract', 'server/relay/exchange', 'server/relay/conversation'],
      ...['server/routing', 'server/metering', 'server/upstream', 'server/protocols', 'server/wire'],
      ...lower,
    ],
  },
  'server/relay/pipeline': {
    may: [
      ...['contract', 'exchange', 'spend', 'conversation', 'operation'].map((part) => `server/relay/${part}`),
      ...['server/accounts', 'server/routing', 'server/metering', 'server/upstream', 'server/vendors', 'server/protocols'],
      ...lower,
    ],
  },
  'server/relay/realtime': {
    may: [
      ...['contract', 'exchange', 'spend', 'pipeline'].map((part) => `server/relay/${part}`),
      ...['server/accounts', 'server/routing', 'server/metering', 'server/upstream', 'server/vendors', 'server/protocols'],
      ...lower,
    ],
  },
  'server/relay/admin': {
    may: [
      ...['contract', 'exchange', 'spend', 'conversation', 'pipeline'].map((part) => `server/relay/${part}`),
      ...['server/accounts', 'server/routing', 'server/metering', 'server/upstream', 'server/vendors', 'server/protocols'],
      ...lower,
    ],
  },
  'server/relay': { may: [...['contract', 'spend', 'pipeline'].map((part) => `server/relay/${part}`), 'server/metering', ...lower] },
  'server/edge': {
    may: [
      ...['contract', 'conversation', 'operation', 'realtime', 'admin'].map((part) => `server/relay/${part}`),
      ...['server/declare', 'server/accounts', 'server/routing', 'server/metering', 'server/protocols'],
      ...lower,
    ],
    packages: ['elysia'],
  },
  'server/testing': {
    may: [
      'db',
      'server/wire',
      'server/canonical',
      'server/protocols/*',
      'server/protocols',
      'server/vendors',
      'server/runtime/contract',
      'server/runtime',
      'server/store',
      'server/upstream',
      'server/demo',
      'server/vault',
      'server/metering',
      'server/routing',
      'server/accounts',
      'server/declare',
      'server/relay',
      ...['contract', 'conversation', 'realtime'].map((part) => `server/relay/${part}`),
      'shared',
    ],
    packages: ['node:', 'bun:', 'bun', 'deno', 'vite', 'postgres', '@electric-sql/pglite', 'drizzle-orm', 'ws'],
    powers: [...everyPower, 'bun'],
  },
  'client/ui': { may: ['shared'], packages: browser, powers: ['time', 'chance', 'global'] },
  'client/api': { may: ['shared'], packages: browser, powers: ['time', 'chance', 'global', 'network'] },
  'client/features/*': {
    may: ['client/ui', 'client/api', 'shared'],
    packages: [...browser, ...reading],
    powers: ['time', 'chance', 'global', 'worker'],
  },
  client: { may: ['client/ui', 'client/api', 'client/features/*', 'shared'], packages: browser, powers: ['time'] },
  e2e: {
    may: ['server/testing', 'shared'],
    packages: [
      ...['node:', 'bun:test', 'playwright', '@axe-core/playwright'],
      ...['openai', '@anthropic-ai/sdk', 'anthropic-sdk-0', '@google/genai', 'google-genai-2'],
      ...['ai', '@ai-sdk/openai', '@ai-sdk/openai-compatible', '@ai-sdk/anthropic', '@ai-sdk/google'],
    ],
    powers: [...everyPower, 'bun'],
  },
  bench: { may: ['server/testing', 'shared'], packages: ['node:', 'playwright'], powers: [...everyPower, 'bun'] },
  tasks: { may: [], packages: ['node:'], powers: everyPower },
  project: {
    may: [],
    packages: ['node:', 'vite', 'vite-plugin-solid', '@tailwindcss/vite', 'playwright', 'drizzle-kit'],
    powers: ['process'],
  },
}
const server = Object.keys(rooms).filter((room) => /^(shared|db|server\/.*)$/.test(room) && room !== 'server/testing')
const dependencies = Object.keys(manifest.dependencies)
rooms.server = { may: [...server, 'project'], packages: ['node:', ...dependencies], powers: everyPower }

const plan: Plan = {
  rooms,
  tests: { may: ['server/testing', 'shared'], packages: ['bun:test', 'bun', 'node:'] },
  aliases: Object.fromEntries(Object.entries(manifest.imports).map(([alias, target]) => [alias.slice(0, -1), folderOf(target)])),
  dependencies,
  devDependencies: Object.keys(manifest.devDependencies),
  registries: ['db/schema.ts'],
  crowd: 25,
  // Rooms that are split already; `() => true` once the whole house is.
  isCrowdChecked: (folder) => folder.startsWith('server/relay'),
  limit: (path) => (/\.(test|e2e)\.ts$|^db\/|^shared\/console\//.test(path) ? 600 : 300),
}

function folderOf(target: string): string {
  return target.replace(/^\.\//, '').replace(/\*(\.ts)?$/, '')
}

describe('the house stands as planned', () => {
  const files = readHouse()
  const violations = judge(plan, files)
  const rules: Record<Rule, string> = {
    room: 'every file has a room',
    import: 'rooms see only what their row names',
    path: 'crossing a room is visible: an alias crosses, a relative path stays home',
    package: 'packages only where they belong',
    power: 'time, chance, network and the process only where they belong',
    length: 'files are short',
    circle: 'no circles',
    barrel: 'no barrels',
    name: 'names say what a file holds',
    crowd: 'no folder is crowded',
  }
  test.each(Object.entries(rules))('%s: %s', (rule) => {
    expect(violations.filter((violation) => violation.rule === rule).map((violation) => violation.text)).toEqual([])
  })

  test('half of the files have fewer than 90 lines', () => {
    const lengths = [...files].filter(([path]) => !/\.(test|e2e)\./.test(path)).map(([, text]) => text.split('\n').length)
    lengths.sort((a, b) => a - b)
    expect(lengths[lengths.length >> 1]).toBeLessThan(90)
  })

  test('every row of the plan stands on rows above it', () => {
    const order = Object.keys(rooms)
    const upward = order.flatMap((room, floor) => (rooms[room]?.may ?? []).filter((below) => !order.slice(0, floor).includes(below)))
    expect(upward).toEqual([])
  })
})

describe('the keeper is awake: each planted violation is found', () => {
  const planted: [Rule, string, string][] = [
    ['room', 'server/attic/box.ts', ''],
    ['room', 'client/cellar/box.ts', ''],
    ['import', 'server/wire/sse.ts', `import { relay } from '#relay/relay'`],
    ['import', 'server/relay/contract/steps.ts', `import { x } from '#relay/spend/settle'`],
    ['import', 'server/relay/exchange/outgoing.ts', `import { x } from '#relay/spend/hold'`],
    ['import', 'server/relay/spend/settle.ts', `import { x } from '#relay/pipeline/attempt'`],
    ['import', 'server/relay/conversation/native.ts', `import { x } from '#relay/spend/hold'`],
    ['import', 'server/relay/conversation/native.ts', `import { x } from '#relay/pipeline/attempt'`],
    ['import', 'server/relay/conversation/native.ts', `import { x } from '#relay/operation/operation'`],
    ['import', 'server/relay/operation/operation.ts', `import { x } from '#relay/pipeline/attempt'`],
    ['import', 'server/relay/pipeline/stream.ts', `import { x } from '#relay/realtime/dial'`],
    ['import', 'server/relay/realtime/dial.ts', `import { x } from '#relay/conversation/native'`],
    ['import', 'server/relay/admin/probe.ts', `import { x } from '#relay/realtime/dial'`],
    ['import', 'server/relay/pipeline/stream.ts', `import { x } from '#relay/relay'`],
    ['import', 'server/relay/conversation/native.ts', `import { books } from '#metering/books'`],
    ['import', 'server/edge/app.ts', `import { attempt } from '#relay/pipeline/attempt'`],
    ['room', 'server/relay/pantry/jam.ts', ''],
    ['import', 'server/canonical/codec.ts', `import type { Relay } from '#relay/relay'`],
    ['import', 'server/accounts/users.ts', `export { route } from '#routing/plan'\nexport const own = 1`],
    ['import', 'server/accounts/users.ts', `export * from '#routing/plan'\nexport const own = 1`],
    ['import', 'server/metering/books.ts', `const plan = await import('#routing/plan')`],
    ['import', 'server/metering/books.ts', `type Plan = import('#routing/plan').Plan`],
    ['import', 'server/protocols/openai/chat/meter.ts', `import { head } from '#protocols/gemini/head'`],
    ['import', 'server/relay/relay.ts', `import { head } from '#protocols/openai/chat/head'`],
    ['import', 'server/testing/program.ts', `import { app } from '#edge/app'`],
    ['import', 'server/edge/app.ts', `import { throwaway } from '#testing/database'`],
    ['import', 'server/edge/app.ts', `import { openStore } from '#store/open'`],
    ['import', 'server/edge/app.test.ts', `import { openStore } from '#store/open'`],
    ['import', 'server/relay/relay.ts', `import { readConfig } from '#server/config'`],
    ['import', 'client/features/playground/page.tsx', `import type { Caller } from '#accounts/caller'`],
    ['import', 'client/ui/button.tsx', `import { users } from '#db/schema'`],
    ['import', 'client/features/playground/page.tsx', `import { Keys } from '#client/features/keys/page.tsx'`],
    ['path', 'server/relay/relay.ts', `import { plan } from '../routing/plan.ts'`],
    ['path', 'server/relay/pipeline/send.ts', `import { attempt } from '#relay/pipeline/attempt'`],
    ['path', 'server/relay/pipeline/send.ts', `import { settle } from '../spend/settle.ts'`],
    ['path', 'server/protocols/openai/chat/head.ts', `import { head } from '../../gemini/head.ts'`],
    ['package', 'server/relay/relay.ts', `import { Elysia } from 'elysia'`],
    ['package', 'server/accounts/users.ts', `import { sql } from 'drizzle-orm'`],
    ['package', 'server/accounts/users.ts', `import { Type } from '@sinclair/typebox'`],
    ['package', 'server/accounts/users.ts', `import { createHash } from 'node:crypto'`],
    ['import', 'server/runtime/bun/listen.ts', `import { systemClock } from '#runtime/clock'`],
    ['import', 'server/runtime/deno/listen.ts', `import { listen } from '#runtime/bun/listen'`],
    ['import', 'server/relay/relay.ts', `import { bunPlatform } from '#runtime/bun/platform'`],
    ['package', 'server/store/lock.ts', `import { Database } from 'bun:sqlite'`],
    ['package', 'server/edge/app.ts', `import OpenAI from 'openai'`],
    ['package', 'server/edge/app.ts', `import x from 'nowhere-installed'`],
    ['package', 'server/main.ts', `import OpenAI from 'openai'`],
    ['package', 'tasks/start.mjs', `import { parse } from 'yaml'`],
    ['package', 'client/ui/button.tsx', `import { readFileSync } from 'node:fs'`],
    ['power', 'server/accounts/users.ts', 'const now = Date.now()'],
    ['power', 'server/accounts/users.ts', 'const now = new Date()'],
    ['power', 'server/accounts/users.ts', 'const clock = Date'],
    ['power', 'server/routing/retry.ts', 'setTimeout(() => {}, 1)'],
    ['power', 'server/routing/retry.ts', 'const signal = AbortSignal.timeout(5)'],
    ['power', 'server/routing/retry.ts', 'const t = performance.now()'],
    ['power', 'server/routing/order.ts', 'const roll = Math.random()'],
    ['power', 'server/routing/order.ts', `const roll = Math['random']()`],
    ['power', 'server/relay/relay.ts', 'const id = crypto.randomUUID()'],
    ['power', 'server/relay/relay.ts', 'const answer = await fetch(url)'],
    ['power', 'server/relay/relay.ts', 'const call = { fetch }'],
    ['power', 'server/relay/relay.ts', 'const socket = new WebSocket(url)'],
    ['power', 'server/relay/relay.ts', 'const home = process.env.HOME'],
    ['power', 'server/relay/relay.ts', 'globalThis.fetch(url)'],
    ['power', 'server/relay/relay.ts', 'console.log(1)'],
    ['power', 'server/upstream/http.ts', 'Bun.sleep(1)'],
    ['power', 'server/main.ts', 'Bun.serve({})'],
    ['power', 'server/runtime/listen.ts', 'Bun.serve({})'],
    ['power', 'server/runtime/bun/listen.ts', 'Deno.serve({})'],
    ['power', 'server/runtime/deno/listen.ts', 'Bun.serve({})'],
    ['power', 'client/features/playground/send.ts', 'fetch(url)'],
    ['power', 'client/ui/button.tsx', 'process.exit()'],
    ['length', 'server/relay/relay.ts', '//\n'.repeat(301)],
    ['length', 'server/relay/relay.test.ts', '//\n'.repeat(601)],
    ['circle', 'server/relay/relay.ts', `import type { X } from './relay.ts'`],
    ['barrel', 'server/relay/everything.ts', `export * from './relay.ts'\nexport { a } from './other.ts'`],
    ['name', 'server/relay/sendRequest.ts', ''],
    ['name', 'server/relay/url-utils.ts', ''],
    ['name', 'client/ui/helpers/button.tsx', ''],
  ]
  test.each(planted)('%s in %s', (rule, path, text) => {
    expect(judge(plan, new Map([[path, text]])).map((violation) => violation.rule)).toEqual([rule])
  })

  const allowed: [string, string][] = [
    ['server/accounts/users.ts', `// Date.now(), fetch()\nconst day = new Date(at).getUTCDay(), end: Date = new Date(Date.UTC(2026, 1))`],
    ['server/accounts/users.ts', `type F = typeof fetch; const call = { fetch: 1, process: 2 }; call.fetch; call.process`],
    ['server/edge/console/users.ts', `import { deps } from '../route.ts'\nimport { users } from '#accounts/users'`],
    ['server/edge/app.test.ts', `import OpenAI from 'openai'\nimport { x } from '#testing/database'\nsetTimeout(() => Date.now(), 1)`],
    ['server/protocols/registry.ts', `import { chat } from '#protocols/openai/chat/codec'`],
    ['client/features/playground/page.tsx', `export const Page = () => <p>don't fetch(1), ask {Date.now()}</p>`],
    ['server/main.ts', `import { readConfig } from './config.ts'\nimport { app } from '#edge/app'\nreadConfig(process.env)`],
  ]
  test.each(allowed)('and nothing else is, in %s', (path, text) => {
    expect(judge(plan, new Map([[path, text]]))).toEqual([])
  })

  test('a folder with too many files; its tests do not count', () => {
    const inside = (count: number) =>
      Array.from({ length: count }, (_, index) => [
        [`server/relay/spend/part-${index}.ts`, ''],
        [`server/relay/spend/part-${index}.test.ts`, ''],
      ]).flat() as [string, string][]
    expect(judge(plan, new Map(inside(25)))).toEqual([])
    expect(judge(plan, new Map(inside(26))).map((violation) => violation.rule)).toEqual(['crowd'])
  })

  test('a circle through three files', () => {
    const files = new Map([
      ['server/wire/a.ts', `import './b.ts'`],
      ['server/wire/b.ts', `import type { C } from './c.ts'`],
      ['server/wire/c.ts', `export { a } from './a.ts'\nexport const c = 1`],
    ])
    expect(judge(plan, files).map((violation) => violation.rule)).toEqual(['circle'])
  })
})

/** Every source file of the repository that a room could hold, by its path from the root. */
function readHouse(): Map<string, string> {
  const houses = ['shared', 'db', 'server', 'client', 'e2e', 'bench', 'tasks']
  const inside = houses.flatMap((house) =>
    readdirSync(join(root, house), { recursive: true, encoding: 'utf8' }).map((path) => join(house, path)),
  )
  const loose = readdirSync(root).filter((path) => path.endsWith('.config.ts'))
  const paths = [...inside, ...loose].filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !/\/(fixtures|node_modules)\//.test(path))
  return new Map(paths.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

test('rooms are told apart by path', () => {
  const cases = {
    'server/main.ts': 'server',
    'server/edge/console/users.ts': 'server/edge',
    'server/relay/relay.ts': 'server/relay',
    'server/relay/spend/settle.ts': 'server/relay/spend',
    'server/relay/spend/deeper/settle.ts': 'server/relay/spend',
    'server/relay/pantry/jam.ts': 'server/relay/pantry',
    'server/protocols/index.ts': 'server/protocols',
    'server/protocols/openai/chat/head.ts': 'server/protocols/openai',
    'client/main.tsx': 'client',
    'client/features/keys/page.tsx': 'client/features/keys',
    'shared/console/key.ts': 'shared',
    'vite.config.ts': 'project',
  }
  expect(Object.fromEntries(Object.keys(cases).map((path) => [path, roomOf(plan, path)]))).toEqual(cases)
})
