/**
 * The floor plan as data: every room, what it may import, and which impurities it may use. ARCHITECTURE.md describes what each room is for.
 * A change here is a change of the design: make it in a commit of its own. Client and tests have files of their own beside this one.
 */
import type { Room } from './floor-plan.ts'
import { billing, canonical, drizzle, everyPower, inside, lower, relay, store } from './room-groups.ts'
import { clientRooms } from './rooms-client.ts'
import { httpRooms } from './rooms-http.ts'
import { endToEnd, testingRooms } from './rooms-testing.ts'

const pure = ['server/wire', ...canonical, 'shared']
/** Upstreams and what is said to them. */
const asking = ['server/routing', 'server/upstream', 'server/vendors', 'server/protocols']
const serving = ['server/accounts', ...billing, ...asking]

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
  // Connections through proxies, and with certificates of one's own.
  'server/runtime/tunnel': { may: ['server/runtime/contract'], packages: ['node:net', 'node:tls', 'node:crypto'], powers: ['network'] },
  // The client of HTTP/1.1 over sockets, which a runtime gives it.
  'server/runtime/http1-client': {
    may: ['server/runtime/contract', 'server/runtime/http1', 'server/runtime/tunnel'],
    packages: ['node:'],
    powers: everyPower,
  },
  'server/runtime/bun': {
    may: ['server/runtime/contract', 'server/runtime/http1-client'],
    packages: ['node:'],
    powers: [...everyPower, 'bun'],
  },
  'server/runtime/deno': {
    may: ['server/runtime/contract', 'server/runtime/http1-client'],
    packages: ['node:', '@node-rs/argon2'],
    powers: [...everyPower, 'deno'],
  },
  // Files that grow at their end, and sealed bytes, and buckets, for threads that carry no requests.
  'server/runtime/storage': { may: [], packages: ['node:', 'postgres', 'mysql2', 'aws4fetch'], powers: everyPower },
  'server/runtime': {
    may: ['server/runtime/contract', 'server/runtime/bun', 'server/runtime/deno', 'shared'],
    packages: ['node:', 'pino'],
    powers: everyPower,
  },

  'server/store/engine': {
    may: ['db', 'server/runtime', 'shared'],
    packages: [...drizzle, 'postgres', '@electric-sql/pglite', '@electric-sql/pglite-prepopulatedfs'],
    powers: ['worker'],
  },
  'server/store/schema-moves': { may: ['db', ...store(), 'server/runtime'], packages: drizzle },
  'server/store/ledger': { may: ['db', ...store(), 'shared'], packages: drizzle },
  'server/store/bodies': { may: ['db', ...store()], packages: drizzle },
  'server/store/accounts': { may: ['db', ...store('bodies', 'ledger'), 'shared'], packages: drizzle },
  'server/store/channels': { may: ['db', ...store()], packages: drizzle },
  'server/store/jobs': { may: ['db', ...store(), 'shared'], packages: drizzle },
  // Calls and short-lived keys of realtime sessions.
  'server/store/realtime': { may: ['db', ...store('jobs')], packages: drizzle },
  'server/store/alerts': { may: ['db', ...store(), 'shared'], packages: drizzle },
  'server/store/replays': { may: ['db', ...store('jobs'), 'shared'], packages: drizzle },
  'server/store/usage': { may: ['db', ...store('ledger'), 'server/runtime', 'shared'], packages: drizzle },

  'server/upstream': {
    may: ['server/vendors', 'server/wire', 'server/runtime/tunnel', ...lower],
    packages: ['node:dns', 'node:net', 'ipaddr.js', 'ws', 'jose', 'aws4fetch'],
    powers: ['network'],
  },
  // The checksum in generated PNG images.
  'server/demo': { may: ['server/upstream', 'server/protocols', 'server/wire', ...lower], packages: ['node:zlib'] },

  'server/reasoning-state': { may: [...store('accounts'), ...lower] },
  'server/billing/pricing': { may: [...store('accounts', 'channels', 'ledger', 'usage'), ...lower] },
  // Reads an audio file's duration where no upstream reports it.
  'server/billing/tokens': { may: lower, packages: ['music-metadata', 'gpt-tokenizer'] },
  'server/billing/lease': { may: [...store('ledger'), ...lower] },
  // The checksum of its lines.
  'server/billing/journal': { may: [...store('ledger'), ...lower], packages: ['node:zlib'] },
  'server/billing/ledger': { may: ['server/billing/lease', 'server/billing/journal', ...store('ledger', 'accounts'), ...lower] },
  'server/billing/ratelimit': { may: ['server/billing/lease', ...store('ledger'), ...lower] },
  // What upstreams charge, against what is known of it. Pure.
  'server/billing/invoices': { may: lower },
  'server/metrics': {
    may: ['server/billing/lease', 'server/billing/ledger', ...store('ledger', 'schema-moves'), ...lower],
    packages: ['prom-client'],
    powers: ['process'],
  },
  // The thread that carries requests: no span, no measurement, no exporter.
  'server/telemetry': { may: [...store('ledger'), ...lower] },
  // The thread that tells the collector.
  'server/telemetry/collecting': {
    may: ['server/telemetry', ...lower],
    packages: [
      '@opentelemetry/api',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-metrics',
      '@opentelemetry/otlp-exporter-base',
      '@opentelemetry/exporter-metrics-otlp-http',
      'node:zlib',
    ],
    // The exporters read their variables there.
    powers: ['process'],
  },
  'server/routing': { may: [...store('accounts', 'channels'), 'server/vendors', 'server/runtime/tunnel', ...lower] },
  // What sign-in is guarded with: growing delays, networks, rules for passwords.
  'server/accounts/guard': { may: lower, packages: ['@zxcvbn-ts/language-common'] },
  // Who people are elsewhere.
  'server/accounts/identity': { may: ['shared'], packages: ['openid-client'] },
  // Second factors: codes of apps, passkeys, recovery codes.
  'server/accounts/factors': { may: [...store('accounts'), ...lower], packages: ['otpauth', '@simplewebauthn/server'] },
  // What is done with usage rows by the hour, and how many reports run at once.
  'server/accounts/usage': { may: [...store('usage'), ...lower] },
  'server/accounts': {
    may: [...inside('server/accounts', 'guard', 'identity', 'factors', 'usage'), ...store('accounts', 'ledger', 'usage'), ...lower],
  },
  // Wallets that several users spend from; what that means for a request is in the room above.
  'server/accounts/teams': { may: ['server/accounts', ...store('accounts', 'ledger'), ...lower] },
  // Links by which people become users, or members of a team.
  'server/accounts/invitations': {
    may: ['server/accounts', ...inside('server/accounts', 'guard', 'teams'), ...store('accounts'), ...lower],
  },
  // Plans, codes that are redeemed once, and credits of payment systems.
  'server/accounts/selling': { may: ['server/accounts', 'server/accounts/guard', ...store('accounts', 'ledger'), ...lower] },
  // Conversations that users keep on the server or show to others.
  'server/accounts/kept': { may: ['server/accounts', ...store('accounts'), ...lower] },
  // What was sent and answered, kept where somebody opted in: noted here, written and read by a thread of its own.
  'server/bodies': {
    may: ['server/accounts', 'server/upstream', 'server/runtime/storage', ...store('accounts', 'bodies'), ...lower],
    powers: ['worker'],
  },
  // Work that lasts longer than a request: who does it, and whether it goes on.
  'server/jobs': { may: [...store('jobs'), ...lower] },
  // Kept requests asked again, as jobs. How a request is sent is handed in.
  'server/replay': {
    may: [
      ...['server/jobs', 'server/accounts', 'server/bodies', 'server/billing/pricing', 'server/protocols', 'server/routing'],
      ...store('accounts', 'jobs', 'ledger', 'replays', 'usage'),
      ...lower,
    ],
    packages: ['diff'],
  },
  // What is noticed and told, out of an outbox. Signatures need node:crypto.
  'server/alerts': {
    may: [
      ...[
        'server/accounts',
        'server/accounts/teams',
        'server/routing',
        'server/upstream',
        'server/billing/ledger',
        'server/billing/pricing',
      ],
      ...store('accounts', 'alerts'),
      ...lower,
    ],
    packages: ['nodemailer', 'node:crypto'],
  },
  // Requests that are asked when there is room.
  'server/batches': {
    may: ['server/jobs', 'server/accounts', 'server/reasoning-state', 'server/protocols', ...store('accounts', 'jobs'), ...lower],
  },
  // What upstreams do long after they were asked: kept, waited for, settled.
  'server/long-work': {
    may: ['server/jobs', 'server/billing/lease', 'server/billing/ledger', 'server/billing/pricing', ...store('jobs'), ...lower],
  },
  // Videos that upstreams make.
  'server/videos': { may: ['server/long-work', ...store('jobs'), ...lower] },
  // Interactions that upstreams make in the background.
  'server/interactions': { may: ['server/long-work', ...store('jobs'), ...lower] },
  // Calls that upstreams hold: who has them, and where.
  'server/calls': { may: [...store('realtime'), ...lower] },
  // What other gateways keep, as sections of a parley.yaml.
  'server/imports': { may: ['shared'], packages: ['node:crypto', '@noble/ciphers'] },
  // What has changed, for whoever watches.
  'server/live': { may: [...store(), ...lower] },
  'server/declare': {
    may: [
      ...['server/accounts', 'server/accounts/teams', 'server/accounts/selling', 'server/routing', 'server/billing/pricing'],
      ...['server/runtime', 'shared'],
    ],
    packages: ['yaml'],
  },

  // The types that the steps of a request pass to each other.
  'server/relay/contract': {
    may: [
      ...['server/accounts', 'server/bodies', 'server/routing', ...billing, 'server/reasoning-state', 'server/upstream', 'server/vendors'],
      ...lower,
    ],
  },
  // One request to one candidate, for any operation.
  'server/relay/exchange': {
    may: [...relay(), 'server/routing', ...billing, 'server/upstream', 'server/vendors', 'server/wire', ...lower],
  },
  'server/relay/spend': { may: [...relay('exchange'), 'server/accounts', 'server/routing', 'server/protocols', ...billing, ...lower] },
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
  'server/relay/pipeline': { may: ['server/bodies', ...relay('exchange', 'spend', 'conversation', 'operation'), ...serving, ...lower] },
  'server/relay/realtime': {
    may: [
      ...['server/bodies', 'server/calls', 'server/jobs', 'server/wire'],
      ...relay('exchange', 'spend', 'pipeline'),
      ...serving,
      ...lower,
    ],
  },
  'server/relay/admin': { may: [...relay('exchange', 'spend', 'conversation', 'pipeline'), ...serving, ...lower] },
  // What callers make in the accounts of upstreams.
  'server/relay/objects': {
    may: [...relay('exchange', 'spend', 'conversation', 'pipeline'), 'server/reasoning-state', 'server/wire', ...serving, ...lower],
  },
  // Large bodies, in a worker.
  'server/relay/large': {
    may: [...relay('exchange', 'conversation', 'operation'), 'server/reasoning-state', 'server/billing/tokens', ...asking, ...lower],
    powers: ['worker'],
  },
  'server/relay': {
    may: [
      ...relay('exchange', 'conversation', 'large', 'operation', 'spend', 'pipeline'),
      'server/accounts',
      'server/billing/ratelimit',
      ...lower,
    ],
  },

  ...httpRooms,

  ...testingRooms,
  ...clientRooms,
  e2e: endToEnd,
  tasks: { may: [], packages: ['node:'], powers: everyPower },
  project: {
    // Where the browser of the tests is.
    may: ['testing'],
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
  // It also runs the whole program in its own process, to see what our own code costs, and single statements of the store.
  const tools = ['testing', ...inside('testing', 'upstream', 'database', 'program', 'books', 'conversions')]
  rooms.bench = {
    may: [
      ...[...tools, 'shared', 'server/app', 'server/runtime', 'server/store/engine', 'server/billing/ledger', 'server/store/ledger'],
      // What keeping a request costs, and telling of it.
      ...['server/accounts', 'server/bodies', 'server/upstream', 'server/telemetry', 'server/canonical'],
    ],
    packages: ['node:', 'playwright', 'drizzle-orm'],
    powers: [...everyPower, 'bun'],
  }
}
