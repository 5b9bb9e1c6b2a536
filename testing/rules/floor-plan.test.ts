/** Checks every source file against the floor plan (`rooms.ts`), and shows that each kind of violation is detected. */
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { judge, type Plan, type Rule, roomOf } from './floor-plan.ts'
import { addRoof, rooms } from './rooms.ts'

const root = join(import.meta.dir, '../..')
const manifest: Record<'dependencies' | 'devDependencies' | 'imports', Record<string, string>> = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)
const dependencies = Object.keys(manifest.dependencies)
addRoof(dependencies)

const plan: Plan = {
  rooms,
  tests: { may: [...Object.keys(rooms).filter((room) => /^testing(\/|$)/.test(room)), 'shared'], packages: ['bun:test', 'bun', 'node:'] },
  aliases: Object.fromEntries(Object.entries(manifest.imports).map(([alias, target]) => [alias.slice(0, -1), folderOf(target)])),
  dependencies,
  devDependencies: Object.keys(manifest.devDependencies),
  registries: ['db/schema.ts'],
  crowd: 25,
  limit: (path) => (/\.(test|e2e)\.ts$|^db\/|^shared\/console\//.test(path) ? 600 : 300),
}

function folderOf(target: string): string {
  return target.replace(/^\.\//, '').replace(/\*(\.ts)?$/, '')
}

describe('the code stands as planned', () => {
  const files = readSources()
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
    ['import', 'server/relay/conversation/native.ts', `import { books } from '#billing/ledger/books'`],
    ['import', 'server/http/app.ts', `import { attempt } from '#relay/pipeline/attempt'`],
    ['room', 'server/relay/pantry/jam.ts', ''],
    ['import', 'server/store/engine/open.ts', `import { x } from '#store/ledger/ledger'`],
    ['import', 'server/store/ledger/ledger.ts', `import { x } from '#store/accounts/users'`],
    ['import', 'server/store/channels/prices.ts', `import { x } from '#store/usage/logs'`],
    ['import', 'server/billing/lease/refill.ts', `import { x } from '#billing/ledger/books'`],
    ['import', 'server/billing/ledger/books.ts', `import { x } from '#billing/ratelimit/limits'`],
    ['import', 'server/billing/pricing/cost.ts', `import { x } from '#billing/lease/refill'`],
    ['import', 'server/http/request/respond.ts', `import { x } from '#http/api/relay-route'`],
    ['import', 'server/http/docs/page.ts', `import { x } from '#http/api/models'`],
    ['import', 'server/http/api/models.ts', `import { x } from '#http/console/route/services'`],
    ['import', 'server/canonical/codec.ts', `import type { Operation } from '#canonical/operation/operation'`],
    ['import', 'server/runtime/clock.ts', `import { x } from '#app/config'`],
    ['import', 'testing/upstream/scripted-upstream.ts', `import { x } from '#testing/vendors/scenarios'`],
    ['import', 'testing/books/invariants.ts', `import { x } from '#testing/books/simulator/world'`],
    ['import', 'client/features/playground/reply/run.ts', `import { x } from '#client/features/playground/transcript/footer.tsx'`],
    ['room', 'server/billing/pantry/jam.ts', ''],
    ['room', 'testing/pantry/jam.ts', ''],
    ['room', 'client/features/playground/pantry/jam.ts', ''],
    ['import', 'server/canonical/codec.ts', `import type { Relay } from '#relay/relay'`],
    ['import', 'server/accounts/users.ts', `export { route } from '#routing/plan'\nexport const own = 1`],
    ['import', 'server/accounts/users.ts', `export * from '#routing/plan'\nexport const own = 1`],
    ['import', 'server/billing/ledger/books.ts', `const plan = await import('#routing/plan')`],
    ['import', 'server/billing/ledger/books.ts', `type Plan = import('#routing/plan').Plan`],
    ['import', 'server/protocols/openai/chat/meter.ts', `import { head } from '#protocols/gemini/head'`],
    ['import', 'server/relay/relay.ts', `import { head } from '#protocols/openai/chat/head'`],
    ['import', 'testing/program/program.ts', `import { app } from '#http/app'`],
    ['import', 'server/http/app.ts', `import { throwaway } from '#testing/database/database'`],
    ['import', 'server/http/app.ts', `import { openStore } from '#store/engine/open'`],
    ['import', 'server/http/app.test.ts', `import { openStore } from '#store/engine/open'`],
    ['import', 'server/relay/relay.ts', `import { readConfig } from '#app/config'`],
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
    ['package', 'server/store/engine/lock.ts', `import { Database } from 'bun:sqlite'`],
    ['package', 'server/http/app.ts', `import OpenAI from 'openai'`],
    ['package', 'server/http/app.ts', `import x from 'nowhere-installed'`],
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
    ['name', 'client/api/helpers/send.ts', ''],
  ]
  test.each(planted)('%s in %s', (rule, path, text) => {
    expect(judge(plan, new Map([[path, text]])).map((violation) => violation.rule)).toEqual([rule])
  })

  const allowed: [string, string][] = [
    ['server/accounts/users.ts', `// Date.now(), fetch()\nconst day = new Date(at).getUTCDay(), end: Date = new Date(Date.UTC(2026, 1))`],
    ['server/accounts/users.ts', `type F = typeof fetch; const call = { fetch: 1, process: 2 }; call.fetch; call.process`],
    ['server/http/console/accounts/users.ts', `import { services } from './services.ts'\nimport { users } from '#accounts/users'`],
    [
      'server/http/app.test.ts',
      `import OpenAI from 'openai'\nimport { x } from '#testing/database/database'\nsetTimeout(() => Date.now(), 1)`,
    ],
    ['server/protocols/registry.ts', `import { chat } from '#protocols/openai/chat/codec'`],
    ['client/features/playground/page.tsx', `export const Page = () => <p>don't fetch(1), ask {Date.now()}</p>`],
    ['server/main.ts', `import { readConfig } from '#app/config'\nimport { app } from '#http/app'\nreadConfig(process.env)`],
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

  test('a cycle through three files', () => {
    const files = new Map([
      ['server/wire/a.ts', `import './b.ts'`],
      ['server/wire/b.ts', `import type { C } from './c.ts'`],
      ['server/wire/c.ts', `export { a } from './a.ts'\nexport const c = 1`],
    ])
    expect(judge(plan, files).map((violation) => violation.rule)).toEqual(['circle'])
  })
})

/** Every source file of the repository that a room could contain, by its path from the root. */
function readSources(): Map<string, string> {
  const roots = ['shared', 'db', 'server', 'testing', 'client', 'e2e', 'bench', 'tasks']
  const inside = roots.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  )
  const loose = readdirSync(root).filter((path) => path.endsWith('.config.ts'))
  const paths = [...inside, ...loose].filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !/\/(fixtures|node_modules)\//.test(path))
  return new Map(paths.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

test('a path determines its room', () => {
  const cases = {
    'server/main.ts': 'server',
    'server/http/console/accounts/users.ts': 'server/http/console/accounts',
    'server/store/pantry/jam.ts': 'server/store',
    'testing/books/simulator/world.ts': 'testing/books/simulator',
    'e2e/support/person.ts': 'e2e',
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
