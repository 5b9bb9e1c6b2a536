/**
 * The floor plan as data: every room, what it may import, and which impurities it may use. ARCHITECTURE.md describes what each room is for.
 * A change here is a change of the design: make it in a commit of its own.
 */
import type { Room } from './floor-plan.ts'

const browser = ['solid-js', '@solidjs/router', '@kobalte/core', '@tanstack/solid-virtual']
const everyPower = ['time', 'chance', 'network', 'process', 'console', 'worker', 'global'] as const

/** The rooms inside a room. */
const inside = (room: string, ...parts: string[]) => parts.map((part) => `${room}/${part}`)
const canonical = ['server/canonical', 'server/canonical/operation']
const pure = ['server/wire', ...canonical, 'shared']
const lower = ['server/runtime/contract', 'server/runtime', ...canonical, 'shared']
const store = (...parts: string[]) => inside('server/store', 'engine', ...parts)
const relay = (...parts: string[]) => inside('server/relay', 'contract', ...parts)
const billing = inside('server/billing', 'pricing', 'tokens', 'lease', 'ledger', 'ratelimit')
const playground = (...parts: string[]) => inside('client/features/playground', ...parts)
const feature = { packages: browser, powers: ['time', 'chance', 'global'] } as const
const screen = ['client/ui', 'client/api', 'shared']

const drizzle = ['drizzle-orm']
const everything = {
  packages: ['node:', 'bun:', 'bun', 'deno', 'vite', 'postgres', '@electric-sql/pglite', ...drizzle, 'ws'],
  powers: [...everyPower, 'bun'],
} as const

/** In dependency order: a room may only import rooms above it in this list. */
export const rooms: Record<string, Room> = {
  shared: { may: [], packages: ['@sinclair/typebox'] },
  // drizzle-kit loads these files and does not resolve aliases.
  db: { may: ['shared'], packages: drizzle, relative: true },

  // Checksums of event streams; nothing else of node:zlib.
  'server/wire': { may: ['shared'], packages: ['node:zlib'] },
  'server/canonical': { may: ['shared'] },
  'server/canonical/operation': { may: ['server/canonical', 'shared'] },
  // What the codecs of every family are made with.
  'server/protocols/codec': { may: pure },
  'server/protocols/*': { may: ['server/protocols/codec', ...pure] },
  'server/protocols': { may: ['server/protocols/codec', 'server/protocols/*', ...pure] },
  'server/vendors': { may: [...canonical, 'shared'] },

  'server/runtime/contract': { may: [] },
  // HTTP/1.1 as bytes.
  'server/runtime/http1': { may: ['server/runtime/contract'] },
  'server/runtime/bun': { may: ['server/runtime/contract', 'server/runtime/http1'], packages: ['node:'], powers: [...everyPower, 'bun'] },
  'server/runtime/deno': { may: ['server/runtime/contract'], packages: ['node:', '@node-rs/argon2'], powers: [...everyPower, 'deno'] },
  'server/runtime': {
    may: ['server/runtime/contract', 'server/runtime/bun', 'server/runtime/deno', 'shared'],
    packages: ['node:', 'pino'],
    powers: everyPower,
  },

  'server/store/engine': {
    may: ['db', 'server/runtime', 'shared'],
    packages: [...drizzle, 'postgres', '@electric-sql/pglite'],
    powers: ['worker'],
  },
  'server/store/schema-moves': { may: ['db', ...store(), 'server/runtime'], packages: drizzle },
  'server/store/ledger': { may: ['db', ...store()], packages: drizzle },
  'server/store/accounts': { may: ['db', ...store('ledger'), 'shared'], packages: drizzle },
  'server/store/channels': { may: ['db', ...store()], packages: drizzle },
  'server/store/usage': { may: ['db', ...store('ledger'), 'server/runtime', 'shared'], packages: drizzle },

  'server/upstream': {
    may: ['server/vendors', 'server/wire', ...lower],
    packages: ['node:dns', 'node:net', 'ipaddr.js', 'ws', 'jose', 'aws4fetch'],
    powers: ['network'],
  },
  // The checksum in generated PNG images.
  'server/demo': { may: ['server/upstream', 'server/protocols', 'server/wire', ...lower], packages: ['node:zlib'] },

  'server/reasoning-state': { may: [...store('accounts'), ...lower] },
  'server/billing/pricing': { may: [...store('accounts', 'channels'), ...lower] },
  // Reads an audio file's duration where no upstream reports it.
  'server/billing/tokens': { may: lower, packages: ['music-metadata', 'gpt-tokenizer'] },
  'server/billing/lease': { may: [...store('ledger'), ...lower] },
  // The checksum in its journal.
  'server/billing/ledger': { may: ['server/billing/lease', ...store('ledger', 'accounts'), ...lower], packages: ['node:zlib'] },
  'server/billing/ratelimit': { may: ['server/billing/lease', ...store('ledger'), ...lower] },
  'server/routing': { may: [...store('accounts', 'channels'), 'server/vendors', ...lower] },
  'server/accounts': { may: [...store('accounts', 'ledger', 'usage'), ...lower], packages: ['@zxcvbn-ts/language-common'] },
  'server/declare': {
    may: ['server/accounts', 'server/routing', 'server/billing/pricing', 'server/runtime', 'shared'],
    packages: ['yaml'],
  },

  // The types that the steps of a request pass to each other.
  'server/relay/contract': {
    may: ['server/accounts', 'server/routing', ...billing, 'server/reasoning-state', 'server/upstream', ...lower],
  },
  // One request to one candidate, for any operation.
  'server/relay/exchange': {
    may: [...relay(), 'server/routing', ...billing, 'server/upstream', 'server/vendors', 'server/wire', ...lower],
  },
  'server/relay/spend': { may: [...relay('exchange'), 'server/accounts', 'server/routing', ...billing, ...lower] },
  'server/relay/conversation': {
    may: [
      ...relay('exchange'),
      ...['server/routing', 'server/reasoning-state', 'server/upstream', 'server/vendors', 'server/protocols', 'server/wire'],
      ...lower,
    ],
  },
  'server/relay/operation': {
    may: [
      ...relay('exchange', 'conversation'),
      ...['server/routing', 'server/billing/pricing', 'server/upstream', 'server/protocols', 'server/wire'],
      ...lower,
    ],
  },
  'server/relay/pipeline': {
    may: [
      ...relay('exchange', 'spend', 'conversation', 'operation'),
      ...['server/accounts', 'server/routing', ...billing, 'server/upstream', 'server/vendors', 'server/protocols'],
      ...lower,
    ],
  },
  'server/relay/realtime': {
    may: [
      ...relay('exchange', 'spend', 'pipeline'),
      ...['server/accounts', 'server/routing', ...billing, 'server/upstream', 'server/vendors', 'server/protocols'],
      ...lower,
    ],
  },
  'server/relay/admin': {
    may: [
      ...relay('exchange', 'spend', 'conversation', 'pipeline'),
      ...['server/accounts', 'server/routing', ...billing, 'server/upstream', 'server/vendors', 'server/protocols'],
      ...lower,
    ],
  },
  'server/relay': {
    may: [...relay('exchange', 'conversation', 'operation', 'spend', 'pipeline'), 'server/accounts', 'server/billing/ratelimit', ...lower],
  },

  // Which addresses are trusted proxies.
  'server/http/request': { may: [...relay('operation'), 'server/protocols', ...lower], packages: ['node:net'] },
  'server/http/api': {
    may: [
      'server/http/request',
      ...relay('conversation', 'realtime', 'admin'),
      ...['server/accounts', 'server/routing', ...billing, 'server/protocols'],
      ...lower,
    ],
  },
  'server/http/console': {
    may: [
      // Bodies with a name twice.
      'server/wire',
      'server/http/request',
      'server/http/api',
      ...relay('admin'),
      'server/declare',
      'server/accounts',
      'server/routing',
      ...billing,
      ...lower,
    ],
  },
  'server/http/docs': { may: ['server/http/request', 'server/protocols', 'server/runtime', 'shared'] },
  'server/http': { may: [...inside('server/http', 'request', 'api'), ...lower], packages: ['elysia'] },

  testing: { may: ['db', ...store('ledger'), 'server/routing', 'server/vendors', ...lower], ...everything },
  'testing/upstream': { may: ['server/runtime'], ...everything },
  'testing/vendors': { may: ['testing/upstream'], ...everything },
  'testing/database': { may: ['db', 'testing', ...store(), 'server/runtime'], ...everything },
  'testing/program': { may: ['testing/database', 'testing/upstream', 'testing/vendors'], ...everything },
  'testing/rules': { may: [], ...everything },
  'testing/conversions': {
    may: [...['testing', 'server/protocols', 'server/reasoning-state', 'server/relay/conversation', 'server/upstream'], ...lower],
    ...everything,
  },
  'testing/fuzz': { may: ['testing', 'testing/conversions', 'testing/upstream', 'server/protocols', ...lower], ...everything },
  'testing/books': {
    may: ['db', 'testing', 'testing/database', 'testing/upstream', ...billing, ...store('ledger', 'usage'), ...lower],
    ...everything,
  },
  'testing/books/simulator': {
    may: ['db', 'testing', 'testing/database', 'testing/books', ...billing, ...store('ledger'), ...lower],
    ...everything,
  },
  'testing/survival': {
    may: [
      ...['testing/books', 'server/accounts', 'server/billing/ledger', 'server/reasoning-state', 'server/routing'],
      ...store('accounts', 'channels'),
      'server/runtime',
    ],
    ...everything,
  },
  'testing/simulator': {
    may: [
      ...['testing', 'server/accounts', 'server/routing', ...billing, 'server/reasoning-state', 'server/upstream', 'server/vendors'],
      ...relay('realtime'),
      'server/relay',
      ...store(),
      ...lower,
    ],
    ...everything,
  },

  'client/ui': { may: ['shared'], ...feature },
  'client/api': { may: ['shared'], ...feature, powers: [...feature.powers, 'network'] },
  // The parts of the console's pages, still without domain words: frame, tables, forms, drawers.
  'client/ui/console': { may: ['client/ui', 'shared'], ...feature },
  // The only room with the chart package.
  'client/ui/chart': { may: ['client/ui', 'client/ui/console', 'shared'], packages: [...browser, 'uplot'], powers: feature.powers },
  // What several console pages share: reading with states, error texts, limits, money in forms.
  'client/console': { may: [...screen, ...inside('client/ui', 'console')], ...feature },
  // The navigation and the palette.
  'client/shell': { may: [...screen, ...inside('client/ui', 'console')], ...feature },
  // The interface texts in English and Chinese.
  ...Object.fromEntries(
    Object.entries({
      messages: ['client/ui'],
      // Text utilities of the page: copying, estimating tokens, indenting, showing hidden characters.
      text: ['client/ui', ...playground('messages')],
      // Conversations as data: tree, settings, storage, and synchronisation across tabs.
      conversation: ['shared'],
      // One request and its reply: the body, the stream, the recorded traffic.
      reply: ['client/api', 'shared', ...playground('conversation')],
      // Groups and models, and choosing one.
      models: [...screen, ...playground('messages', 'text')],
      // The playground's state, actions and open dialogs, passed to every part of the page as context.
      state: [...screen, ...playground('conversation', 'reply', 'models')],
      // The request in the other dialects.
      dialects: [...screen, ...playground('messages', 'reply')],
      keyboard: ['client/ui', ...playground('messages', 'text', 'state')],
      parameters: [...screen, ...playground('messages', 'conversation', 'state')],
      // Error messages, and what the user can do.
      failures: ['client/ui', 'shared', ...playground('messages', 'conversation', 'state')],
      // Markdown, code and formulas in replies. The only room with these packages.
      markdown: ['client/ui', ...playground('messages', 'text')],
      templates: ['client/ui', 'client/api', ...playground('messages', 'text', 'state')],
      code: ['client/ui', ...playground('messages', 'reply', 'state', 'dialects', 'markdown')],
      inspector: ['client/ui', 'shared', ...playground('messages', 'text', 'conversation', 'reply', 'state', 'dialects')],
      composer: ['client/ui', 'shared', ...playground('messages', 'text', 'conversation', 'models', 'state', 'keyboard')],
      sidebar: ['client/ui', 'client/api', ...playground('messages', 'text', 'conversation', 'state')],
      transcript: [...screen, ...playground('messages', 'text', 'conversation', 'models', 'state', 'keyboard', 'failures', 'markdown')],
      compare: ['client/ui', ...playground('messages', 'conversation', 'models', 'state', 'composer', 'transcript')],
    }).map(([part, may]): [string, Room] => {
      if (part !== 'markdown') return [`client/features/playground/${part}`, { may, ...feature }]
      const packages = [...browser, 'marked', 'dompurify', 'highlight.js', 'katex']
      return [`client/features/playground/${part}`, { may, packages, powers: ['time', 'chance', 'global', 'worker'] }]
    }),
  ),
  // The page: layout, top bar, banner, dialogs.
  'client/features/playground': {
    may: [
      ...['client/ui', 'shared'],
      ...playground('messages', 'text', 'conversation', 'state', 'keyboard', 'parameters', 'markdown', 'templates', 'code'),
      ...playground('inspector', 'composer', 'sidebar', 'transcript', 'compare'),
    ],
    ...feature,
  },
  // All other pages.
  'client/features/*': { may: [...screen, ...inside('client/ui', 'console', 'chart'), 'client/console'], ...feature },
  client: {
    may: [...screen, 'client/shell', 'client/features/playground', 'client/features/*'],
    packages: browser,
    powers: ['time'],
  },

  e2e: {
    may: [
      ...['testing', 'shared'],
      ...inside('testing', 'upstream', 'vendors', 'database', 'program', 'books', 'books/simulator', 'survival', 'conversions', 'rules'),
    ],
    packages: [
      ...['node:', 'bun:test', 'playwright', '@axe-core/playwright'],
      ...['openai', '@anthropic-ai/sdk', 'anthropic-sdk-0', '@google/genai', 'google-genai-2'],
      ...['ai', '@ai-sdk/openai', '@ai-sdk/openai-compatible', '@ai-sdk/anthropic', '@ai-sdk/google'],
    ],
    powers: [...everyPower, 'bun'],
  },
  tasks: { may: [], packages: ['node:'], powers: everyPower },
  project: {
    may: [],
    packages: ['node:', 'vite', 'vite-plugin-solid', '@tailwindcss/vite', 'playwright', 'drizzle-kit'],
    powers: ['process'],
  },
}

/** Adds the top-level files, which may import everything below them and every package that `npm start` installs, and the bench. */
export function addRoof(dependencies: readonly string[]): void {
  const below = () => Object.keys(rooms).filter((room) => /^(shared|db|server\/.*)$/.test(room))
  const roof = { packages: ['node:', ...dependencies], powers: everyPower }
  rooms['server/app'] = { may: [...below(), 'project'], ...roof }
  rooms['server/cli'] = { may: below(), ...roof }
  rooms.server = { may: [...below(), 'project'], ...roof }
  // It also runs the whole program in its own process, to see what our own code costs.
  const tools = ['testing', ...inside('testing', 'upstream', 'database', 'program', 'books', 'conversions')]
  rooms.bench = {
    may: [...tools, 'shared', 'server/app', 'server/runtime'],
    packages: ['node:', 'playwright'],
    powers: [...everyPower, 'bun'],
  }
}
